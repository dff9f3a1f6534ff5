// Last step of `npm test`: checks that no secret of the run occurs in its logs. TERN_TEST_LOGS names the folder with
// the logs and the records of packages/testkit/src/secrets.ts.

import fs from 'node:fs'
import path from 'node:path'
import type { SecretKind } from '@tern/testkit/secrets'
import { isMain } from '../../packages/server/src/platform/runtime/is-main.ts'

export interface Log {
  name: string
  text: string
}

export interface Secret {
  kind: SecretKind
  text: string
}

/** Place in a log with forbidden content. */
export interface Finding {
  log: string
  line: number
  what: string
}

/** Patterns forbidden in any line, even if not recorded as a secret. */
const shapes: [what: string, shape: RegExp][] = [
  ['a signed token', /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g],
  ['the secret of an authenticator app', /otpauth:\/\//g],
  ['the secret of a link', /\b(?:token|code)=[\w.~%-]{20,}/g],
]

/** Length of the prefix that indexes secrets; no recorded secret is shorter. */
const beginning = 8

// A mark is computed from the last five characters of a prefix.
const markBits = 25
const marks = 2 ** markBits
const computeMark = (before: number, code: number): number => ((before << 5) ^ code) & (marks - 1)

/** Indexes all written forms of secrets by their prefix, with the marks of these prefixes. */
function indexSecrets(secrets: readonly Secret[]) {
  const forms = secrets.flatMap((secret) => writtenForms(secret).map((text) => ({ kind: secret.kind, text })))
  const marked = new Uint8Array(marks)
  for (const { text } of forms) {
    let mark = 0
    for (let index = 0; index < beginning; index += 1) mark = computeMark(mark, text.charCodeAt(index))
    marked[mark] = 1
  }
  return { marked, byBeginning: Map.groupBy(forms, ({ text }) => text.slice(0, beginning)) }
}

/** Finds all secrets in all logs; the findings do not contain them. */
export function findSecrets(logs: readonly Log[], secrets: readonly Secret[]): Finding[] {
  const { marked, byBeginning } = indexSecrets(secrets)
  return logs.flatMap(({ name, text }) => {
    const at = (index: number, what: string): Finding => ({ log: name, line: countLines(text, index), what })
    const findings = shapes.flatMap(([what, shape]) => [...text.matchAll(shape)].map(({ index }) => at(index, what)))
    let mark = 0
    for (let index = 0; index < text.length; index += 1) {
      mark = computeMark(mark, text.charCodeAt(index))
      if (marked[mark] === 0) continue
      const from = index + 1 - beginning
      const candidates = byBeginning.get(text.slice(from, index + 1)) ?? []
      const found = candidates.find((secret) => text.startsWith(secret.text, from))
      if (found !== undefined) findings.push(at(from, `a ${found.kind}`))
    }
    return findings
  })
}

/** Returns the secret as is and as JSON, which escapes some characters. */
function writtenForms({ text }: Secret): string[] {
  return [...new Set([text, JSON.stringify(text).slice(1, -1)])]
}

const countLines = (text: string, index: number): number => text.slice(0, index).split('\n').length

/** Returns reasons why a search would prove nothing: no log lines, or no secrets of some kind. */
export function missingMaterial(logs: readonly Log[], secrets: readonly Secret[]): string[] {
  const needed: SecretKind[] = ['password', 'cookie', 'token', 'link']
  const missing: string[] = needed.filter((kind) => !secrets.some((secret) => secret.kind === kind))
  if (!logs.some(({ text }) => text.includes('request completed'))) missing.push('line about a request')
  return missing.map((what) => `No ${what} was written down: run \`secrets\` together with the steps before it.`)
}

/** Reads a run's logs and secrets from `folder`. */
export function readRun(folder: string): { logs: Log[]; secrets: Secret[] } {
  const files = fs.existsSync(folder) ? fs.readdirSync(folder) : []
  const read = (name: string): Log => ({ name, text: fs.readFileSync(path.join(folder, name), 'utf8') })
  const lines = files.filter((name) => name.endsWith('.jsonl')).flatMap((name) => read(name).text.split('\n'))
  const secrets = new Map<string, SecretKind>()
  for (const line of lines) {
    // A killed process may leave its last line incomplete.
    if (!line.endsWith(']')) continue
    const [kind, text] = JSON.parse(line) as [SecretKind, string]
    secrets.set(text, kind)
  }
  return {
    logs: files.filter((name) => name.includes('.log')).map(read),
    secrets: [...secrets].map(([text, kind]) => ({ kind, text })),
  }
}

if (isMain(import.meta)) {
  const folder = process.env.TERN_TEST_LOGS ?? ''
  const { logs, secrets } = readRun(folder)
  const complaints = missingMaterial(logs, secrets)
  const findings = findSecrets(logs, secrets)
  for (const { log, line, what } of findings) complaints.push(`${path.join(folder, log)}:${line}: ${what}`)
  for (const complaint of complaints) console.error(complaint)
  const lines = logs.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
  console.log(`${secrets.length} secrets looked for in ${lines} lines of ${logs.length} logs`)
  if (complaints.length > 0) process.exitCode = 1
}
