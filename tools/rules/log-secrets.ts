// Last step of `npm test`: no secret of the run occurs in its logs. TERN_TEST_LOGS names the folder with the logs and
// the records of packages/server/src/platform/keys/test-secrets.ts.

import fs from 'node:fs'
import path from 'node:path'
import type { SecretKind } from '../../packages/server/src/platform/keys/test-secrets.ts'
import { isMain } from '../../packages/server/src/platform/runtime/is-main.ts'

export interface Log {
  name: string
  text: string
}

export interface Secret {
  kind: SecretKind
  text: string
}

/** A place in a log with forbidden content. */
export interface Finding {
  log: string
  line: number
  what: string
}

/** Forbidden in any line, even if not recorded as a secret. */
const shapes: [what: string, shape: RegExp][] = [
  ['a signed token', /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g],
  ['the secret of an authenticator app', /otpauth:\/\//g],
  ['the secret of a link', /\b(?:token|code)=[\w.~%-]{20,}/g],
]

// Nearly all secrets begin with a long word; only others need individual searches.
const longWordFirst = /^[\w-]{20}/
const longWords = /[\w-]{20,}/g

/** Length of what secrets are looked up by: shorter than any long word, and rarely shared with other text. */
const beginning = 12

/** Finds all secrets in all logs, without returning them. */
export function findSecrets(logs: readonly Log[], secrets: readonly Secret[]): Finding[] {
  const indexed = secrets.filter(({ text }) => longWordFirst.test(text))
  const byBeginning = Map.groupBy(indexed, ({ text }) => text.slice(0, beginning))
  const others = secrets.filter(({ text }) => !longWordFirst.test(text))
  return logs.flatMap(({ name, text }) => {
    const at = (index: number, what: string): Finding => ({ log: name, line: lineOf(text, index), what })
    const findings = shapes.flatMap(([what, shape]) => [...text.matchAll(shape)].map(({ index }) => at(index, what)))
    for (const { 0: word, index } of text.matchAll(longWords)) {
      for (let from = 0; from + beginning <= word.length; from += 1) {
        const candidates = byBeginning.get(word.slice(from, from + beginning)) ?? []
        const found = candidates.find((secret) =>
          writtenForms(secret).some((form) => text.startsWith(form, index + from)),
        )
        if (found !== undefined) findings.push(at(index, `a ${found.kind}`))
      }
    }
    for (const secret of others) {
      for (const form of writtenForms(secret)) {
        const index = text.indexOf(form)
        if (index >= 0) findings.push(at(index, `a ${secret.kind}`))
      }
    }
    return findings
  })
}

/** The secret as it is and as JSON writes it, which escapes some characters. */
function writtenForms({ text }: Secret): string[] {
  return [...new Set([text, JSON.stringify(text).slice(1, -1)])]
}

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length

/** Why a search proves nothing: no lines, or no secrets of some kind. */
export function missingMaterial(logs: readonly Log[], secrets: readonly Secret[]): string[] {
  const needed: SecretKind[] = ['password', 'cookie', 'token', 'link']
  const missing: string[] = needed.filter((kind) => !secrets.some((secret) => secret.kind === kind))
  if (!logs.some(({ text }) => text.includes('request completed'))) missing.push('line about a request')
  return missing.map((what) => `No ${what} was written down: run \`secrets\` together with the steps before it.`)
}

/** A run's logs and secrets in `folder`. */
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
