import { reactRouter } from '@react-router/dev/vite'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { addressesOnly } from './pack/addresses-only.ts'
import { languageAliases } from './pack/language.ts'

/** Browsers that know light-dark(), nesting and cascade layers: without them both themes would need twice the styles. */
const browsers = ['chrome123', 'edge123', 'firefox128', 'safari17.5']

/** Functions of the contract without effects: what they make is dropped where nothing uses it. */
const pureFunctions = ['z', 'endpoint', 'text', 'requiredText', 'coded', 'plural']

/** Asking and keeping answers, which every page of the app does; changing by mutations, which few do, comes with those. */
const readingQueries = /node_modules\/@tanstack\/(?!.*\/(useMutation|mutationObserver)\.)/

/** What nearly every page of the app shows: one file instead of many small ones. */
const memberModules =
  /packages\/(web\/src\/(app\/session\/live|ui\/\w+\/(Toast|ActivityRow|Amount|OfflineNote|Balance|Chip|activity))|messages\/src\/[\w-]+\/web\/transaction)\./

/** What pages with a form, a breakdown or a map show and the dashboard does without at first. */
const laterModules = String.raw`(Field|TextField|PasswordField|DefinitionList|orthographic|rates)\.`

/**
 * What every page of the app shows, named one by one: with a rule by how many pages share a module, each further page
 * would push modules of its own kind into what the dashboard loads.
 */
const sharedModules = new RegExp(
  [
    'app/session/session',
    'app/(paths|page-title)',
    'ui/\\w+/(Avatar|Brand|Button|EmptyState|ErrorState|Icon|Note|Segmented|Sheet|Skeleton|Toast)',
    'ui/\\w+/(class-names|format|icons|locale)',
    'app/shell/(ErrorPage|preload-fonts)',
  ]
    .map((module) => `packages/web/src/${module}[.]`)
    .concat('packages/web/fonts/(text|display)[.]', 'packages/messages/src/[\\w-]+/(language|web/shell)[.]')
    .join('|'),
)

export default defineConfig({
  resolve: { alias: languageAliases },
  plugins: [tailwindcss(), addressesOnly(), reactRouter()],
  build: { target: browsers, cssTarget: browsers, assetsInlineLimit: 0, modulePreload: false },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          treeshake: { manualPureFunctions: pureFunctions },
          output: {
            codeSplitting: {
              groups: [
                { name: 'frame', test: /node_modules\/(react|react-dom|scheduler|react-router)\//, priority: 5 },
                { name: 'query', test: readingQueries, priority: 5 },
                {
                  name: 'core',
                  test: /money\/src\/currency|contract\/src\/protocol\/(client|endpoint|refusal)/,
                  priority: 4,
                },
                {
                  name: 'schemas',
                  test: /node_modules\/zod\/|contract\/src\/protocol\/(wire|account-forms|field-problems)|messages\/src\/(message|formats|[\w-]+\/(web\/)?fields)\./,
                  priority: 3,
                },
                {
                  name: 'forms',
                  test: new RegExp(
                    `packages/(web/src/ui/\\w+/${laterModules}|messages/src/(plural|[\\w-]+/web/forms)[.])`,
                  ),
                  minShareCount: 3,
                  priority: 1,
                },
                { name: 'member', test: memberModules, minShareCount: 2, priority: 1 },
                { name: 'shared', test: sharedModules, priority: 2 },
              ],
            },
          },
        },
      },
    },
  },
})
