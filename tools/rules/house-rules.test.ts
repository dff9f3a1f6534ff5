import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { commands } from '../../packages/server/src/commands/runner/table.ts'
import { changelogIsShort } from './changelog.ts'
import * as rules from './house-rules.ts'
import * as nodeRules from './node-versions.ts'
import { noRetiredNames } from './old-names.ts'
import * as folderRules from './folder-rules.ts'
import { reportLargeFiles } from './sizes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const generatedPattern = /^(node_modules|build|screens|test-results|playwright-report|\.(git|data|cache|react-router))$/

function readProject(folder = ''): rules.SourceFile[] {
  return fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name)
    if (generatedPattern.test(entry.name)) return []
    if (entry.isDirectory()) return readProject(file)
    const isText = /\.(ts|tsx|mjs|js|sql|css|md|json|nvmrc)$/.test(file)
    return [{ path: file, text: isText ? fs.readFileSync(path.join(root, file), 'utf8') : '' }]
  })
}

const project = readProject()
const file = (name: string, text: string): rules.SourceFile => ({ path: name, text })
const feature = (name: string, text: string) => file(`packages/server/src/features/${name}`, text)

console.info(['Sizes to look at:', ...reportLargeFiles(project)].join('\n'))

describe('the project', () => {
  test.each(
    Object.entries({ ...rules, ...folderRules, ...nodeRules, noRetiredNames, changelogIsShort }).filter(
      ([name]) => name !== 'listImports',
    ),
  )('%s', (_name, rule) => {
    expect((rule as typeof rules.noTaskMarkers)(project)).toEqual([])
  })

  test('docs/operating.md lists exactly the commands of tern', () => {
    const manual = project.find(({ path: name }) => name === 'docs/operating.md')?.text ?? ''
    const rows = [...manual.matchAll(/^\| `npx tern ([\w-]+)/gm)].map(([, name]) => name)
    expect(rows.length).toBe(commands.length)
    expect(new Set(rows)).toEqual(new Set(commands.map(({ name }) => name)))
  })

  test('npm scripts are few, and no text names another one', () => {
    const text = (name: string) => project.find(({ path: file }) => file === name)?.text ?? ''
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> }
    expect(Object.keys(scripts)).toEqual(['start', 'test', 'build', 'bench', 'tern'])
    const mentionedScripts = project.flatMap(({ path: file, text: all }) =>
      file === 'CHANGELOG.md'
        ? []
        : [...all.matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => `${file}: ${script}`),
    )
    expect(mentionedScripts.filter((one) => !/: (build|bench|tern)$/.test(one))).toEqual([])
  })
})

describe('imports', () => {
  test('are found in every form', () => {
    const text = `
import a from 'one'
import {
  b,
} from './two.ts'
import type { C } from '@tern/three/c'
import 'four'
export { d } from 'five'
export * from 'six'
const e = await import('seven')
const text = 'not from "eight"'
export const nine = 'nine'`
    const imports = rules.listImports(file('packages/money/src/x.ts', text))
    expect(imports.map(({ specifier }) => specifier).toSorted()).toEqual([
      './two.ts',
      '@tern/three/c',
      'five',
      'four',
      'one',
      'seven',
      'six',
    ])
    expect(imports.find(({ specifier }) => specifier === './two.ts')?.target).toBe('packages/money/src/two.ts')
  })

  test.each([
    ['packages/money/src/a.ts', 'node:fs'],
    ['packages/money/src/a.ts', '@tern/ledger/ledger'],
    ['packages/ledger/src/a.ts', 'zod'],
    ['packages/ledger/src/a.ts', 'pg-protocol'],
    ['packages/contract/src/a.ts', 'node:crypto'],
    ['packages/providers/src/a.ts', '@tern/server/platform/database/db'],
    ['packages/web/src/a.tsx', '@tern/server/platform/runtime/config'],
    ['packages/web/src/a.tsx', '../../server/src/config.ts'],
    ['packages/web/src/a.tsx', '@tern/desk/app/client'],
    ['packages/desk/src/a.tsx', '../../web/src/ui/forms/Button.tsx'],
    ['packages/desk/src/a.tsx', '@tern/server/platform/runtime/config'],
    ['packages/messages/src/en/web/a.ts', '@tern/contract/wallets'],
    ['packages/sandbox/src/a.ts', '@tern/money/money'],
    ['packages/server/src/a.ts', '../../../tools/test-database.ts'],
    ['packages/new/src/a.ts', 'node:fs'],
  ])('%s may not import %s', (name, specifier) => {
    expect(rules.importsBetweenPackages([file(name, `import { x } from '${specifier}'`)])).toHaveLength(1)
  })

  test.each([
    ['packages/money/src/a.ts', './b.ts'],
    ['packages/ledger/src/a.ts', 'node:fs'],
    ['packages/ledger/src/a.ts', 'pg'],
    ['packages/contract/src/a.ts', 'zod/mini'],
    ['packages/server/src/a.ts', 'fastify'],
    ['packages/server/src/a.test.ts', '../../../tools/test-database.ts'],
    ['packages/web/src/a.tsx', '@tern/contract/protocol/client'],
    ['packages/desk/src/a.tsx', '@tern/web/ui/forms/Button.tsx'],
    ['packages/server/src/a.ts', '@tern/messages/plural'],
  ])('%s may import %s', (name, specifier) => {
    expect(rules.importsBetweenPackages([file(name, `import { x } from '${specifier}'`)])).toEqual([])
  })

  test('of server features go leftward, to entry files only', () => {
    const allowedSpecifiers = [
      '../wallets/wallets.ts',
      '../wallets/move.ts',
      '../identity/identity.ts',
      '../identity/row-types.ts',
      './quote.ts',
      '../../db.ts',
    ]
    const refusedSpecifiers = [
      '../transfers/transfers.ts',
      '../transfers/row-types.ts',
      '../wallets/history.ts',
      '../identity/identity.routes.ts',
      '../other/other.ts',
    ]
    const check = (specifier: string) =>
      rules.importsBetweenFeatures([feature('exchange/exchange.ts', `import type { x } from '${specifier}'`)])
    expect(allowedSpecifiers.flatMap(check)).toEqual([])
    for (const specifier of refusedSpecifiers) expect(check(specifier), specifier).toHaveLength(1)
  })

  test('never join two web features', () => {
    const text = `import { x } from '../wallets/Balance.tsx'`
    expect(rules.importsBetweenFeatures([file('packages/web/src/features/send/Send.tsx', text)])).toHaveLength(1)
    expect(rules.importsBetweenFeatures([file('packages/web/src/features/wallets/Wallet.tsx', text)])).toEqual([])
  })
})

test('server features are listed, and have their files', () => {
  const completeFeature = ['feature.ts', 'tables.ts', 'schema.sql'].map((name) => feature(`wallets/${name}`, ''))
  expect(rules.featuresAreListed(completeFeature)).toEqual([])
  expect(rules.featuresAreListed(completeFeature.slice(1))).toEqual([
    'packages/server/src/features/wallets: add feature.ts, its manifest.',
  ])
  expect(rules.featuresAreListed([...completeFeature, feature('loans/loans.ts', '')])).toEqual([
    'packages/server/src/features/loans: add loans to packages/server/src/features/list.ts.',
  ])
})

test('floating point near money needs a reason', () => {
  const check = (text: string) => rules.noFloatingPointNearMoney([feature('transfers/transfers.ts', text)])
  for (const text of ['Number(amount)', 'parseFloat(x)', 'a.toFixed(2)', 'Math.round(a)', 'Number.parseInt(a)']) {
    expect(check(text), text).toHaveLength(1)
  }
  expect(check('Number(port) // not money: a port')).toEqual([])
  expect(check('// not money: a port\nNumber(port)')).toEqual([])
  expect(check('Number(port) // not money:')).toHaveLength(1)
  expect(check('// Number(x) would lose digits\nz.number()\nNumber.isInteger(x)')).toEqual([])
  expect(rules.noFloatingPointNearMoney([file('packages/web/src/ui/chart.ts', 'Math.round(a)')])).toEqual([])
})

test('default exports are only for routes', () => {
  const routes = file('packages/web/src/routes.ts', `export default [index('features/marketing/Landing.tsx')]`)
  const landing = file('packages/web/src/features/marketing/Landing.tsx', 'export default function Landing() {}')
  expect(rules.noDefaultExports([routes, landing])).toEqual([])
  expect(
    rules.noDefaultExports([routes, file('packages/web/src/ui/Map.tsx', 'export default function Map() {}')]),
  ).toHaveLength(1)
  expect(
    rules.noDefaultExports([routes, file('packages/web/src/ui/Map.tsx', 'export { Map as default }')]),
  ).toHaveLength(1)
})

test('leaves no open tasks and no disabled tests', () => {
  const check = (text: string) => rules.noTaskMarkers([file('packages/server/src/a.test.ts', text)])
  const disabledWords = ['on', 'sk'].map((syllable, index) => syllable + ['ly', 'ip'][index])
  for (const text of [
    ...['TO', 'FIX'].map((syllable, index) => `// ${syllable}${['DO', 'ME'][index]} later`),
    ...disabledWords.flatMap((word) => [`test.${word}('x')`, `describe.${word}('x')`, `test.concurrent.${word}('x')`]),
  ]) {
    expect(check(text), text).toHaveLength(1)
  }
  expect(check("test.runIf(root)('x')\nconst only = 1")).toEqual([])
})

test('document links lead somewhere', () => {
  const buildGuide = (link: string) =>
    rules.docLinksResolve([file('docs/guide.md', link), file('docs/a/b.md', ''), file('README.md', '')])
  for (const link of [
    '[x](a/b.md)',
    '[x](a/b.md#part)',
    '[x](a/)',
    '[x](../README.md)',
    '[x](https://a.b)',
    '[x](#part)',
    '`[x](no.md)`',
  ]) {
    expect(buildGuide(link), link).toEqual([])
  }
  for (const link of ['[x](a/c.md)', '![x](../b.png "title")', '<img src="no.png">'])
    expect(buildGuide(link), link).toHaveLength(1)
})

test('files named in documents exist', () => {
  const check = (text: string, name = 'docs/guide.md') =>
    rules.namedFilesExist([
      file(name, text),
      file('packages/server/src/features/x/y.ts', ''),
      file('packages/server/src/a.test.ts', ''),
    ])
  for (const validText of [
    '`packages/server/src/features/x/y.ts`',
    '`packages/server/src`',
    '`packages/server/src/`',
    '`packages/server/src/*.test.ts`',
    '`features/x`',
    '`features/x/y.ts`',
    '`y.ts`',
    '`secrets.json`',
    '`sandbox/sandbox.sqlite`',
    '`GET /api/packages/x`',
    '`node packages/x.ts`',
    'packages/x.ts',
    '```sh\ncat `packages/x.ts`\n```',
  ]) {
    expect(check(validText), validText).toEqual([])
  }
  for (const invalidText of [
    '`packages/server/src/z.ts`',
    '`packages/web`',
    '`packages/server/src/b*.ts`',
    '`server/src/z.ts`',
    '`features/z`',
    '`features/z/y.ts`',
    '`z.ts`',
    '`features`, then `packages/web/`',
  ]) {
    expect(check(invalidText), invalidText).toHaveLength(1)
  }
  expect(check('`packages/web`', 'CHANGELOG.md')).toEqual([])
})

test('versions are pinned', () => {
  const check = (version: string) =>
    rules.pinnedVersions([file('package.json', JSON.stringify({ dependencies: { x: version } }))])
  expect(check('1.2.3')).toEqual([])
  expect(check('1.2.3-beta.4')).toEqual([])
  for (const version of ['^1.2.3', '~1.2.3', '1.2', '*', 'latest', 'github:a/b'])
    expect(check(version), version).toHaveLength(1)
})

test('endpoints are listed and called', () => {
  const contract = file(
    'packages/contract/src/wallets.ts',
    `export const walletOfUser = endpoint({ method: 'GET', path: '/wallet/user/:userId' })
     export const history = endpoint({ method: 'GET', path: '/wallet/history' })`.replaceAll(/^ +/gm, ''),
  )
  const listFile = (name: string) => file('packages/contract/src/endpoints.ts', `import * as all from './${name}.ts'`)
  expect(rules.endpointsAreListed([contract, listFile('wallets')])).toEqual([])
  expect(rules.endpointsAreListed([contract, listFile('payments')])).toEqual([
    'packages/contract/src/wallets.ts: walletOfUser is missing from allEndpoints.',
    'packages/contract/src/wallets.ts: history is missing from allEndpoints.',
  ])
  const check = (text: string) => rules.endpointsAreCalled([contract, feature('wallets/wallets.test.ts', text)])
  const uncalledEndpoints = ['wallets.ts: no test calls walletOfUser.', 'wallets.ts: no test calls history.']
  expect(check("test('history and walletOfUser')")).toEqual(
    uncalledEndpoints.map((end) => `packages/contract/src/${end}`),
  )
  expect(check("import { history, walletOfUser } from '@tern/contract/wallets'")).toEqual([])
  expect(check('const { history } = allEndpoints\ncall(allEndpoints.walletOfUser, {})')).toEqual([])
  expect(check("get('/api/wallet/history/')\nget(`/api/wallet/user/${id}?x=1`)")).toEqual([])
})

test('styles that name a physical side are found', () => {
  const css = '.a { margin-left: 1px; inset: 0; left: 0; text-align: right; border-inline-start: 0 } .b-left { top: 0 }'
  const check = (name: string, text: string) => rules.stylesFollowTheText([file(name, text)])
  expect(check('packages/web/src/css/a.css', css)).toHaveLength(3)
  expect(check('packages/desk/src/css/a.css', css)).toHaveLength(3)
  expect(check('packages/web/src/css/rtl.css', css)).toEqual([])
  expect(check('packages/web/src/ui/A.tsx', '<p className="flex -ml-3 xl:pr-8 ms-2 border-l" />')).toHaveLength(3)
  expect(check('packages/web/src/ui/A.tsx', 'const left = 1 // ml-3')).toEqual([])
})

test('unused texts are found', () => {
  const catalogue = 'export const texts = {\n  read: 1,\n  shared: 2,\n  named: 3,\n  forgotten: 4,\n}\n'
  const files = [
    file('packages/messages/src/en/web/site/texts.ts', catalogue),
    file('packages/web/src/features/x/X.tsx', "import { texts } from '#messages/site/texts.ts'\nshow(texts.read)"),
    file('packages/web/src/features/y/Y.tsx', "import { texts } from '#messages/y.ts'\nshow(texts.forgotten)"),
    file('packages/web/src/app/Page.tsx', 'show(words.shared)'),
    file('packages/contract/src/pages.ts', "const pages = { x: { title: 'named' } }"),
  ]
  expect(rules.messagesAreRead(files)).toEqual(['packages/messages/src/en/web/site/texts.ts: nobody reads forgotten.'])
})
