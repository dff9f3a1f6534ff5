import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const english = fileURLToPath(new URL('en', import.meta.url))
const root = path.resolve(english, '../../../..')
const forOperators = /^(desk\/|operator\.ts)/
/** Words not used towards customers: indefinite pronouns, and terms of the product's internals. */
const insiders = /\b(somebody|nobody|anybody|everybody|whoever|whomever|this installation|of what)\b/i
/** Words that docs/glossary.md replaces. */
const replaced =
  /\b(sign(s|ed|ing)?[- ]?(in|out)|two-factor|2fa|deposit(s|ed|ing)?|top(ped|ping)? up|paying in|cash out|add funds|withdraw funds|funds|swap|set aside|by itself|grand total|security key)\b/i
/** Labels that the product specification fixes verbatim, and the disclaimer about insured deposits. */
const literal = new Set([
  'Sign in with Google',
  'None yet. To connect Google, choose “Sign in with Google” when you log in.',
  'Two-factor authentication',
  'Add Funds',
  'Deposit to wallet',
  'Deposit Funds',
  'Withdraw Funds',
  'Deposit',
  'Money Deposited',
  'Failed to process deposit. Please try again later.',
  'Manage your funds and send across borders',
  'Payment successful! Your funds have been added to your wallet.',
  'Payment was canceled. No funds have been charged.',
  'Insufficient funds. Your balance is ${amountInWords(language, balance, currency)}',
  'Insufficient funds. Your balance is ${balance}',
  'Tern is not a bank, and balances are not insured deposits.',
])
const comments = /\/\*[\s\S]*?\*\/|\/\/.*/g
const literals = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

interface Text {
  readonly file: string
  readonly text: string
}

/** Returns the texts of a catalogue file, without import paths and codes. */
function readTexts(file: string): Text[] {
  const source = fs.readFileSync(path.join(english, file), 'utf8').replaceAll(comments, '')
  return (source.match(literals) ?? [])
    .map((quoted) => ({ file, text: quoted.slice(1, -1) }))
    .filter(({ text }) => /\s/.test(text) || /^[A-Z]/.test(text))
}

const texts = fs
  .readdirSync(english, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap(readTexts)
const shown = ({ file, text }: Text) => `${file}: ${text}`

test('texts for customers name no insiders', () => {
  const found = texts.filter(({ file, text }) => !forOperators.test(file) && insiders.test(text))
  expect(found.map(shown)).toEqual([])
})

test('texts call each thing by its one name, but for labels that the specification fixes', () => {
  const found = texts.filter(({ file, text }) => !forOperators.test(file) && replaced.test(text) && !literal.has(text))
  expect(found.map(shown)).toEqual([])
  expect([...literal].filter((label) => !texts.some(({ text }) => text === label))).toEqual([])
})

test('the desk, the texts of the API and the documents say log in', () => {
  const signIn = /\bsign(s|ed|ing)?[- ](in|out)\b(?! with Google)/i
  const desk = texts.filter(({ file, text }) => forOperators.test(file) && signIn.test(text)).map(shown)
  const contract = path.join(root, 'packages/contract/src')
  const summaries = fs
    .readdirSync(contract, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const source = fs.readFileSync(path.join(contract, file), 'utf8')
      const said = [...source.matchAll(/(?:summary|description):\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/g)]
      return said.map(([, text = '']) => shown({ file, text })).filter((text) => signIn.test(text.replace(file, '')))
    })
  const documents = ['README.md', 'SECURITY.md', ...fs.globSync('docs/*.md', { cwd: root })]
    .filter((file) => !file.endsWith('glossary.md'))
    .filter((file) => {
      const source = fs.readFileSync(path.join(root, file), 'utf8')
      // Code, file names and link addresses may contain these words.
      return signIn.test(source.replaceAll(/```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)/g, ''))
    })
  expect([...desk, ...summaries, ...documents]).toEqual([])
})
