import { expect, test } from 'vitest'
import { noRetiredNames } from './old-names.ts'
import * as rules from './folder-rules.ts'
import { reportLargeFiles } from './sizes.ts'

const file = (path: string, text = '') => ({ path, text })

test('long files and full folders are named', () => {
  const folder = (count: number) => Array.from({ length: count }, (_, index) => file(`tools/a/${String(index)}.ts`))
  expect(reportLargeFiles(folder(20))).toEqual([])
  expect(reportLargeFiles(folder(21))).toEqual(['tools/a holds 21 files.'])
  expect(reportLargeFiles([file('packages/server/src/a.ts', '\n'.repeat(400))])).toEqual([
    'packages/server/src/a.ts has 401 lines.',
  ])
  expect(reportLargeFiles([file('packages/server/src/a.ts', '\n'.repeat(399))])).toEqual([])
})

test('nothing imports from folders above it', () => {
  const server = (path: string, target: string) =>
    rules.noUpwardImports([file(`packages/server/src/${path}`, `import { a } from '${target}'`)])
  expect(server('platform/ids.ts', '../features/wallets/move.ts')).toHaveLength(1)
  expect(server('features/kyc/kyc.ts', '../../commands/audit/audit.ts')).toHaveLength(1)
  expect(server('features/kyc/kyc.ts', '../../platform/ids.ts')).toEqual([])
  expect(server('features/kyc/verification.test.ts', '../../commands/audit/audit.ts')).toEqual([])
  const web = file('packages/web/src/ui/forms/Button.tsx', `import { paths } from '../../app/paths.ts'`)
  expect(rules.noUpwardImports([web])).toHaveLength(1)
})

test('sibling folders do not import each other in a circle, except types', () => {
  const folders = (back: string) => [
    file('packages/ledger/src/a/one.ts', `import { two } from '../b/two.ts'`),
    file('packages/ledger/src/b/two.ts', `import { three } from '../c/three.ts'`),
    file('packages/ledger/src/c/three.ts', back),
  ]
  expect(rules.noImportCycles(folders(`import { one } from '../a/one.ts'`))).toEqual([
    'packages/ledger/src/a → packages/ledger/src/b → packages/ledger/src/c → packages/ledger/src/a: import each other in a circle.',
  ])
  for (const type of [`import type { One } from '../a/one.ts'`, `import { type One, type Two } from '../a/one.ts'`]) {
    expect(rules.noImportCycles(folders(type))).toEqual([])
  }
})

test('retired names are not used as identifiers, columns or file names; prose may use them', () => {
  const check = (path: string, text = '') => noRetiredNames([file(path, text)])
  expect(check('packages/server/src/a.ts', 'interface Ground {}')).toHaveLength(1)
  expect(check('packages/server/src/a.ts', 'await db.query(`update payment set asked_at = now()`)')).toHaveLength(1)
  expect(check('packages/server/src/a.ts', "// On this Ground we stand.\nconst a = 'demand'")).toEqual([])
  expect(check('packages/server/src/features/payments/intake.ts')).toHaveLength(1)
  expect(check('packages/server/migrations/001-next.sql', 'select * from money_case')).toHaveLength(1)
  expect(check('packages/sandbox/src/faults.ts', 'const faults = 1')).toEqual([])
  expect(check('packages/web/src/a.ts', 'const faults = 1')).toHaveLength(1)
})

test('every listed attack has a test', () => {
  const table = (cell: string) =>
    file('docs/risk.md', `| Attack | Guard | Test |\n|---|---|---|\n| A thief | a lock | ${cell} |\n`)
  const tests = file('a.test.ts', `test('a thief takes all: nothing', () => {})`)
  expect(rules.attacksHaveTests([table('`a thief takes all`'), tests])).toEqual([])
  for (const cell of ['`a thief takes half`', '', 'a thief takes all'])
    expect(rules.attacksHaveTests([table(cell), tests]), cell).toHaveLength(1)
})
