import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { hasPlainLetters, translateToPseudo, writePseudoLanguage } from '../../../tools/pseudo-language.ts'

const english = fileURLToPath(new URL('en', import.meta.url))
const others = fs
  .readdirSync(path.dirname(english))
  .map((name) => path.join(path.dirname(english), name))
  .filter((folder) => folder !== english && fs.existsSync(path.join(folder, 'language.ts')))
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-languages-'))
afterAll(() => fs.rmSync(scratch, { recursive: true }))

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value)

/** Returns the paths of texts that only one of two groups has, that differ in type, or that are empty in `theirs`. */
function differences(ours: unknown, theirs: unknown, at: string): string[] {
  if (kindOf(ours) !== kindOf(theirs)) return [`${at}: ${kindOf(theirs)} in place of ${kindOf(ours)}`]
  if (typeof ours === 'string') return theirs === '' ? [`${at}: is empty`] : []
  if (typeof ours !== 'object' || ours === null) return []
  const [wanted, given] = [new Map(Object.entries(ours)), new Map(Object.entries(theirs as object))]
  const names = [...new Set([...wanted.keys(), ...given.keys()])]
  return names.flatMap((name) => differences(wanted.get(name), given.get(name), `${at}.${name}`))
}

/** Returns the paths of texts that a language's folder lacks or has in addition to English. */
async function findGaps(folder: string): Promise<string[]> {
  const files = fs.readdirSync(english, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const found = files.map(async (file) => {
    if (!fs.existsSync(path.join(folder, file))) return [`${file}: is missing`]
    const [ours, theirs] = await Promise.all([import(path.join(english, file)), import(path.join(folder, file))])
    return differences(ours, theirs, file)
  })
  return (await Promise.all(found)).flat()
}

test('every language has all texts of English', async () => {
  for (const folder of others) expect(await findGaps(folder), folder).toEqual([])
  expect(await findGaps(writePseudoLanguage(path.join(scratch, 'whole')))).toEqual([])
})

test('a text, a parameter or a file that a language lacks is found', async () => {
  const folder = writePseudoLanguage(path.join(scratch, 'lacking'))
  fs.rmSync(path.join(folder, 'web', 'table.ts'))
  const wallets = path.join(folder, 'web', 'wallets.ts')
  const changed = fs
    .readFileSync(wallets, 'utf8')
    .replace(/ {2}deposit: .*\n/, '')
    .replace(/onItsWay: .*\n/, "onItsWay: 'áƀç',\n")
  fs.writeFileSync(wallets, changed)
  expect((await findGaps(folder)).toSorted()).toEqual([
    'web/table.ts: is missing',
    'web/wallets.ts.wallets.deposit: undefined in place of string',
    'web/wallets.ts.wallets.onItsWay: string in place of function',
  ])
})

test('the pseudo-language keeps code, keys and parameters', () => {
  const source = `import { plural } from '../plural.ts'
const counted = plural('en')
export const texts = {
  'date desc': "Nobody's",
  sent: (to: string, way: 'up' | 'down') => (way === 'up' ? \`Sent to \${to} by Tern\` : \`\${to}, \${to}\`),
  rows: (count: number) => counted(count, { one: '1 row', other: \`\${count} rows\` }),
}
`
  const pseudo = translateToPseudo(source)
  expect(pseudo).toBe(`import { plural } from '../plural.ts'
const counted = plural('en')
export const texts = {
  'date desc': "[!! Ñöƀöðý\\'š !!]",
  sent: (to: string, way: 'up' | 'down') => (way === 'up' ? \`[!! Šéñţ ţö \${to} ƀý Tern !!]\` : \`\${to}, \${to}\`),
  rows: (count: number) => counted(count, { one: '[!! 1 ŕöŵ !!]', other: \`[!! \${count} ŕöŵš !!]\` }),
}
`)
})

test('the pseudo-language is 40 % longer, and untranslated letters stand out in it', () => {
  const text = 'Money you add, send and receive appears here, and nowhere else.'
  const [pseudo = ''] = /\[!!.*!!\]/.exec(translateToPseudo(`export const text = '${text}'`)) ?? []
  expect(pseudo.length / text.length).toBeGreaterThanOrEqual(1.38)
  expect(hasPlainLetters(pseudo)).toBe(false)
  expect(hasPlainLetters(`${pseudo} At Tern.`)).toBe(true)
  expect(hasPlainLetters('Tern')).toBe(false)
})
