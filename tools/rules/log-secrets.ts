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

/** Patterns that no line may contain, even if the match is not a recorded secret. */
const shapes: [what: string, shape: RegExp][] = [
  ['a signed token', /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g],
  ['the secret of an authenticator app', /otpauth:\/\//g],
  ['the secret of a link', /\b(?:token|code)=[\w.~%-]{20,}/g],
]

/** Length of the prefix that indexes secrets; no recorded secret is shorter. */
const prefixLength = 8

// With 25 bits, a hash depends on the last five characters of a prefix.
const hashBits = 25
const hashCount = 2 ** hashBits
const computeHash = (before: number, code: number): number => ((before << 5) ^ code) & (hashCount - 1)

/** Indexes all written forms of secrets by prefix; `prefixHashes` marks the hashes of these prefixes. */
function indexSecrets(secrets: readonly Secret[]) {
  const forms = secrets.flatMap((secret) => writtenForms(secret).map((text) => ({ kind: secret.kind, text })))
  const prefixHashes = new Uint8Array(hashCount)
  for (const { text } of forms) {
    let hash = 0
    for (let index = 0; index < prefixLength; index += 1) hash = computeHash(hash, text.charCodeAt(index))
    prefixHashes[hash] = 1
  }
  return { prefixHashes, secretsByPrefix: Map.groupBy(forms, ({ text }) => text.slice(0, prefixLength)) }
}

/** Finds secrets and forbidden patterns in logs; the findings do not contain the secrets. */
export function findSecrets(logs: readonly Log[], secrets: readonly Secret[]): Finding[] {
  const { prefixHashes, secretsByPrefix } = indexSecrets(secrets)
  return logs.flatMap(({ name, text }) => {
    const createFinding = (index: number, what: string): Finding => ({ log: name, line: countLines(text, index), what })
    const findings = shapes.flatMap(([what, shape]) =>
      [...text.matchAll(shape)].map(({ index }) => createFinding(index, what)),
    )
    let hash = 0
    for (let index = 0; index < text.length; index += 1) {
      hash = computeHash(hash, text.charCodeAt(index))
      if (prefixHashes[hash] === 0) continue
      const prefixStart = index + 1 - prefixLength
      const candidates = secretsByPrefix.get(text.slice(prefixStart, index + 1)) ?? []
      const match = candidates.find((secret) => text.startsWith(secret.text, prefixStart))
      if (match !== undefined) findings.push(createFinding(prefixStart, `a ${match.kind}`))
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

/** Reads a run's logs and secrets from `folder`; returns none if it does not exist. */
export function readRun(folder: string): { logs: Log[]; secrets: Secret[] } {
  const files = fs.existsSync(folder) ? fs.readdirSync(folder) : []
  const readLog = (name: string): Log => ({ name, text: fs.readFileSync(path.join(folder, name), 'utf8') })
  const lines = files.filter((name) => name.endsWith('.jsonl')).flatMap((name) => readLog(name).text.split('\n'))
  const secrets = new Map<string, SecretKind>()
  for (const line of lines) {
    // A killed process may leave its last line incomplete.
    if (!line.endsWith(']')) continue
    const [kind, text] = JSON.parse(line) as [SecretKind, string]
    secrets.set(text, kind)
  }
  return {
    logs: files.filter((name) => name.includes('.log')).map(readLog),
    secrets: [...secrets].map(([text, kind]) => ({ kind, text })),
  }
}

if (isMain(import.meta)) {
  const folder = process.env.TERN_TEST_LOGS ?? ''
  const { logs, secrets } = readRun(folder)
  const problems = missingMaterial(logs, secrets)
  const findings = findSecrets(logs, secrets)
  for (const { log, line, what } of findings) problems.push(`${path.join(folder, log)}:${line}: ${what}`)
  for (const problem of problems) console.error(problem)
  const lines = logs.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
  console.log(`${secrets.length} secrets looked for in ${lines} lines of ${logs.length} logs`)
  if (problems.length > 0) process.exitCode = 1
}
