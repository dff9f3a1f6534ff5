// Pseudo-language derived from English for tests: `[!! Šéñð möñéý !!]`, two fifths longer and written right to left. It
// reveals texts that are not from the catalogue and layouts that cannot hold longer words.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'
import { type Messages, readCatalogues } from '../packages/server/src/platform/messages.ts'

const catalogue = fileURLToPath(new URL('../packages/messages/src/', import.meta.url))

/** Unicode's code of the right-to-left pseudo-language; browsers format its dates and numbers as in Arabic. */
export const pseudoCode = 'ar-XB'

const plainLetters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const markedLetters = 'áƀçðéƒĝĥíĵķļɱñöþɋŕšţúṽŵẋýžÁƁÇÐÉƑĜĤÍĴĶĻṀÑÖÞɊŔŠŢÚṼŴẊÝŽ'
const markedByLetter = new Map(Array.from(markedLetters, (letter, index) => [plainLetters.charAt(index), letter]))
const extraLength = 0.4
const wordLength = 5

/** Names that are never translated. */
const names = /\bTern\b/g

/**
 * Returns whether a text has a letter that is neither marked nor part of a name, and so may not be from the catalogue.
 */
export const hasPlainLetters = (text: string): boolean => /[a-z]/i.test(text.replaceAll(names, ''))

function markLetters(text: string): string {
  const nameMatches = [...text.matchAll(names)]
  const pieces = text
    .split(names)
    .map((piece) => Array.from(piece, (letter) => markedByLetter.get(letter) ?? letter).join(''))
  return pieces.map((piece, index) => piece + (nameMatches[index]?.[0] ?? '')).join('')
}

/** Returns filler words that make a text of `length` characters two fifths longer, including the brackets around it. */
function padding(length: number): string {
  const missing = Math.ceil(length * extraLength) - '[!!  !!]'.length
  const word = `${markedLetters.slice(0, wordLength)} `
  return missing > 0
    ? ` ${word
        .repeat(Math.ceil(missing / word.length))
        .slice(0, missing)
        .trim()}`
    : ''
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [part: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/** Text in a source file, with its position and whether it begins or ends a message. */
interface Text {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly opensTemplate: boolean
  readonly closesTemplate: boolean
  readonly length: number
}

interface TemplateQuasi extends Node {
  readonly value: { readonly raw: string; readonly cooked: string }
}

function listTemplateTexts(node: Node): Text[] {
  const quasis = node.quasis as readonly TemplateQuasi[]
  const length = quasis.reduce((sum, { value }) => sum + value.cooked.length, 0)
  if (!quasis.some(({ value }) => hasPlainLetters(value.cooked))) return []
  return quasis.map(({ value, start, end }, index) => ({
    // The node includes its delimiters: a backtick or '}' before, a backtick or '${' after.
    start: start + 1,
    end: end - (index === quasis.length - 1 ? 1 : 2),
    text: value.raw,
    length,
    opensTemplate: index === 0,
    closesTemplate: index === quasis.length - 1,
  }))
}

/** Returns the texts below a node, excluding keys, types, imports, comparisons and verbatim function arguments. */
function listTexts(node: Node): Text[] {
  if (node.type.startsWith('TS') && !['TSAsExpression', 'TSSatisfiesExpression'].includes(node.type)) return []
  if (['ImportDeclaration', 'BinaryExpression'].includes(node.type)) return []
  if (node.type === 'Literal' && typeof node.value === 'string' && hasPlainLetters(node.value)) {
    const { start, end, value } = node
    return [
      { start: start + 1, end: end - 1, text: value, opensTemplate: true, closesTemplate: true, length: value.length },
    ]
  }
  const templateTexts = node.type === 'TemplateLiteral' ? listTemplateTexts(node) : []
  const parts = Object.entries(node).filter(([name]) => name !== 'key' || node.computed === true)
  const isArgument = (part: Node) => node.type === 'CallExpression' && part.type === 'Literal'
  return [
    ...templateTexts,
    ...parts
      .flatMap(([, part]) => [part].flat())
      .filter(isNode)
      .filter((part) => !isArgument(part))
      .flatMap(listTexts),
  ]
}

/** Returns the source of a catalogue file with its texts in the pseudo-language; code and placeholders are kept. */
export function translateToPseudo(source: string): string {
  const texts = listTexts(parseAst(source, { lang: 'ts' }) as unknown as Node).toSorted((a, b) => b.start - a.start)
  let output = source
  for (const { start, end, text, opensTemplate, closesTemplate, length } of texts) {
    const isQuoted = output.charAt(start - 1) === "'" || output.charAt(start - 1) === '"'
    const escapedText = isQuoted
      ? JSON.stringify(text)
          .slice(1, -1)
          .replaceAll("'", String.raw`\'`)
      : text
    const pseudo = `${opensTemplate ? '[!! ' : ''}${markLetters(escapedText)}${closesTemplate ? `${padding(length)} !!]` : ''}`
    output = output.slice(0, start) + pseudo + output.slice(end)
  }
  return output
}

const listSources = (folder: string, recursive = false) =>
  fs.readdirSync(folder, { recursive, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file))

/** Writes the catalogue in the pseudo-language into `folder`, replacing its contents; returns the language's folder. */
export function writePseudoLanguage(folder: string): string {
  const language = path.join(folder, pseudoCode)
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(language, { recursive: true })
  for (const file of listSources(catalogue)) fs.copyFileSync(path.join(catalogue, file), path.join(folder, file))
  const english = path.join(catalogue, 'en')
  for (const file of listSources(english, true)) {
    fs.mkdirSync(path.dirname(path.join(language, file)), { recursive: true })
    const text =
      file === 'language.ts' ? languageFile : translateToPseudo(fs.readFileSync(path.join(english, file), 'utf8'))
    fs.writeFileSync(path.join(language, file), text)
  }
  return language
}

const languageFile = `import type { Language } from '../language.ts'

export const language: Language = { code: '${pseudoCode}', locale: '${pseudoCode}', direction: 'rtl' }
`

/** Returns the server's messages in the pseudo-language, under the language code `code`. */
export async function readPseudoMessages(code: string): Promise<Messages> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-messages-'))
  writePseudoLanguage(folder)
  const messages = (await readCatalogues(folder)).get(pseudoCode)
  fs.rmSync(folder, { recursive: true })
  if (messages === undefined) throw new Error('the pseudo-language was not written')
  // Dates of this locale contain no Latin letters.
  return { ...messages, language: { code, locale: 'ja-JP', direction: 'rtl' } }
}
