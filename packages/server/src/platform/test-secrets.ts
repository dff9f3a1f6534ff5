// For tests: writes down every secret that passes by, so that afterwards all logs of the run can be searched for them
// (tools/log-secrets.ts). Does nothing unless TERN_TEST_LOGS names a folder.

import fs from 'node:fs'
import path from 'node:path'

const folder = process.env.TERN_TEST_LOGS

/** Where the logs of a test run are gathered; undefined when nobody wants them. `name` need not be unique. */
export function testLogFile(name: string): string | undefined {
  return folder === undefined ? undefined : path.join(folder, `${name}-${process.pid}-${process.hrtime.bigint()}.log`)
}

/** Adds one line to the log at `file`, if there is to be one. */
export function addToTestLog(file: string | undefined, line: string): void {
  if (file !== undefined) fs.appendFileSync(file, `${line}\n`)
}

export type SecretKind = 'password' | 'cookie' | 'token' | 'link'

const shortest = 8
const known = new Set<string>()

/** Writes one secret down. What is shorter than eight characters could stand in a log by chance. */
export function recordSecret(kind: SecretKind, secret: string): void {
  if (folder === undefined || secret.length < shortest || known.has(secret)) return
  known.add(secret)
  fs.appendFileSync(path.join(folder, `secrets-${process.pid}.jsonl`), `${JSON.stringify([kind, secret])}\n`)
}

const secretFields =
  /^(token|access_token|refresh_token|id_token|reset_token|link_token|client_secret|code_verifier|secret|challenge|code|recovery_codes|password)$/i
const inLinks = /[?#&](?:token|code|state)=([\w.~%-]{20,})/g
// Codes of refusals and of answers stand under the same name as codes that people are given.
const isWord = (text: string) => /^[a-z]+(_[a-z]+)*$/.test(text)

/** Writes down every secret in a body that was sent or received, by the names of its fields and the links in its texts. */
export function recordBody(body: unknown, field = ''): void {
  if (folder === undefined) return
  if (typeof body === 'string') {
    for (const [, secret = ''] of body.matchAll(inLinks)) recordSecret('link', secret)
    if (!secretFields.test(field) || (field === 'code' && isWord(body))) return
    recordSecret(field.toLowerCase() === 'password' ? 'password' : 'token', body)
  } else if (Array.isArray(body)) {
    for (const item of body) recordBody(item, field)
  } else if (typeof body === 'object' && body !== null) {
    for (const [name, value] of Object.entries(body)) recordBody(value, name)
  }
}

/** The same for a body as it travels: JSON, a form, or any text with links in it. */
export function recordText(text: string): void {
  if (folder === undefined || text === '') return
  if (/^[[{"]/.test(text) && recordsJson(text)) return
  if (/^[\w.~%+-]+=/.test(text)) recordBody(Object.fromEntries(new URLSearchParams(text)))
  else recordBody(text)
}

function recordsJson(text: string): boolean {
  try {
    recordBody(JSON.parse(text))
    return true
  } catch {
    return false
  }
}

const ownCookies = /(?:^|[;\s])(?:__Host-)?(?:rt|browser)=([^;\s]{20,})/g

type Headers = Readonly<Record<string, number | string | readonly string[] | undefined>>

/** Writes down our cookies, the token of an Authorization header, and the secrets in an address to go on to. */
export function recordHeaders(headers: Headers): void {
  if (folder === undefined) return
  for (const [name, value] of Object.entries(headers)) {
    for (const text of [value ?? []].flat().map(String)) {
      if (/^(set-)?cookie$/i.test(name)) {
        for (const [, secret = ''] of text.matchAll(ownCookies)) recordSecret('cookie', secret)
      } else if (/^authorization$/i.test(name)) {
        const token = /^bearer +(\S{20,})$/i.exec(text)?.[1]
        if (token !== undefined) recordSecret('token', token)
      } else if (/^(location|referer)$/i.test(name)) recordBody(text)
    }
  }
}
