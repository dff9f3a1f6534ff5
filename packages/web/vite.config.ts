import { reactRouter } from '@react-router/dev/vite'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { addressesOnly } from './pack/addresses-only.ts'
import { excludeModules } from './pack/exclude-modules.ts'
import { languageAliases } from './pack/language.ts'
import { plainUtilities } from './pack/plain-utilities.ts'
import { shakeableRouter } from './pack/shakeable-router.ts'

/** Browsers with light-dark(), nesting and cascade layers: without them both themes would need twice the styles. */
const browsers = ['chrome123', 'edge123', 'firefox128', 'safari17.5']

/** Functions of the contract without side effects: unused results are dropped. */
const pureFunctions = ['z', 'endpoint', 'text', 'requiredText', 'withCode', 'plural']

/** Infinite lists and mutations of the query library: no page uses them, and a use would fail at once. */
const unusedModules = /query-core\/.*\/(infiniteQueryBehavior|mutation)\.js/

/**
 * Unused modules of the router: loading its list of pages in parts (off by `routeDiscovery` in react-router.config.ts),
 * and instrumentation.
 */
const idleModules = /react-router\/.*\/(dom\/ssr\/fog-of-war|router\/instrumentation)\.js/

/**
 * Modules that share one file: those that the same pages load, because one file compresses better than many small ones.
 * They are listed individually: under a rule by number of pages, each further page would push its own modules into the
 * dashboard's files.
 */
const files = {
  frame: ['node_modules/(react|react-dom|scheduler|react-router)/'],
  'form-state': ['node_modules/react-hook-form/'],
  currency: ['money/src/currency'],
  schemas: [
    'node_modules/zod/',
    'contract/src/protocol/(wire|field-problems)',
    'messages/src/(message|formats|[\\w-]+/(web/)?fields)',
    'web/src/app/forms/resolver',
  ],
  accounts: ['contract/src/protocol/(account-forms|email-address|text/email)'],
  shared: [
    'contract/src/protocol/(client|endpoint|refusal)',
    'web/src/app/session/session',
    'web/src/app/(paths|page-title)',
    'web/src/ui/\\w+/(Avatar|Brand|Button|DataShell|EmptyState|ErrorState|Icon|Note|Segmented|Sheet|Skeleton|Toast)',
    'web/src/ui/\\w+/(class-names|format|icons|locale)',
    'web/src/app/shell/(ErrorPage|preload-fonts)',
    'web/src/app/support/(support|SupportText)',
    'web/src/ui/(lazy-component|maps/(GlobeGround|globe-size))',
    'web/fonts/(text|display)',
    'messages/src/[\\w-]+/(language|web/shell)',
  ],
  /** Modules for signed-in people. */
  member: [
    'node_modules/@tanstack/',
    'web/src/app/session/(live|query)',
    'web/src/app/shell/(AppShell|navigation/(TabBar|navigation))',
    'web/src/ui/\\w+/(Amount|OfflineNote|combine-queries)',
    'money/src/money',
  ],
  forms: ['web/src/ui/\\w+/(Field|TextField|DefinitionList|rates)', 'messages/src/(plural|[\\w-]+/web/forms)'],
  /** Step-up confirmations, and redirects to the provider's page. */
  acts: ['web/src/app/(step-up/step-up|provider-page|use-action|use-is-current-page)'],
  instruments: [
    'web/src/app/instruments/(payment-methods|use-bank-link)',
    'messages/src/[\\w-]+/web/payment-methods',
    'contract/src/banking',
  ],
  amounts: ['web/src/ui/\\w+/(amount-text|exact-amount|Figure|FormSkeleton|MoneyField|NamedItem)'],
  orders: [
    'web/src/app/orders/(amount|dated-quote|money-order|OrderNote|orders|persisted-order)',
    'web/src/app/forms/Form',
    'contract/src/exchange',
  ],
  'action-bar': ['web/src/ui/layout/(ActionBar|use-covered-height)'],
  'order-forms': ['web/src/app/(OrderForm|use-order-form)'],
  'radio-list': ['web/src/ui/forms/RadioList'],
  'method-lists': ['web/src/app/instruments/(PaymentMethodList|BankAccountChoice)'],
  'live-quotes': ['web/src/app/(use-settled|orders/quotes)'],
  ratios: ['money/src/(fee|ratio)'],
  'transfer-texts': ['messages/src/[\\w-]+/web/transfers'],
  sends: ['web/src/features/transfers/(send-form|pending-transfer|review/payment-source)'],
  /** Movements of money as rows and figures, and the dashboard, which shows most of them. */
  home: [
    'web/src/ui/\\w+/(ActivityRow|Balance|Chip|activity)',
    'messages/src/[\\w-]+/web/transaction',
    'web/src/features/dashboard/(BalanceHistory|BalancePanel|RecentActivity|ThisMonth)',
    'messages/src/[\\w-]+/web/home/dashboard',
  ],
} as const

/** Pattern of a library's folder, or of our modules by their paths without extension. */
const modulePattern = (parts: readonly string[]) =>
  new RegExp(parts.map((part) => (part.startsWith('node_modules/') ? part : `packages/${part}[.]`)).join('|'))

const name = 'assets/[name]-[hash:7]'
const assets = { assetFileNames: `${name}[extname]` }
const fileNames = { entryFileNames: `${name}.js`, chunkFileNames: `${name}.js`, ...assets }

export default defineConfig({
  resolve: { alias: languageAliases },
  plugins: [
    tailwindcss({ optimize: false }),
    plainUtilities(),
    addressesOnly(),
    excludeModules(unusedModules, 'undefined'),
    excludeModules(idleModules, '() => undefined'),
    shakeableRouter(),
    reactRouter(),
  ],
  // The prerenderer starts a preview server, which would watch every file of the build folder.
  server: { watch: null },
  build: { target: browsers, cssTarget: browsers, assetsInlineLimit: 0, modulePreload: false },
  environments: {
    // Prerendered pages refer to files that the client's build makes.
    ssr: { build: { rolldownOptions: { output: assets } } },
    client: {
      build: {
        rolldownOptions: {
          treeshake: { manualPureFunctions: pureFunctions },
          output: {
            // Every page names a hundred files, so shorter hashes make each page smaller.
            ...fileNames,
            codeSplitting: {
              groups: Object.entries(files).map(([name, parts], index) => ({
                name,
                test: modulePattern(parts),
                priority: 20 - index,
              })),
            },
          },
        },
      },
    },
  },
})
