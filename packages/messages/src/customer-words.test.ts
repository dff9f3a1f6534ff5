import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const english = fileURLToPath(new URL('en', import.meta.url))
const forOperators = /^(desk\/|operator\.ts)/
/** Words that docs/glossary.md replaces, and names of the product's own parts. */
const unwanted = /\b(somebody|nobody|everybody|whoever|whomever|this installation|of what|sign-in)\b/i
const comments = /\/\*[\s\S]*?\*\/|\/\/.*/g
const literals = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

test('texts for customers use the words of the glossary', () => {
  const files = fs
    .readdirSync(english, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !forOperators.test(file))
  const found = files.flatMap((file) => {
    const source = fs.readFileSync(path.join(english, file), 'utf8').replaceAll(comments, '')
    const texts = source.match(literals) ?? []
    // Imports and codes are no texts.
    return texts.filter((text) => text.includes(' ') && unwanted.test(text)).map((text) => `${file}: ${text}`)
  })
  expect(found).toEqual([])
})
