// Records all secrets that tests use, so that tools/rules/log-secrets.ts can search the logs for them. Does nothing
// unless TERN_TEST_LOGS names a folder.

import fs from 'node:fs'
import path from 'node:path'

const folder = process.env.TERN_TEST_LOGS

/**
 * Returns the path of a new log file of the test run; undefined unless logs are collected. `name` need not be unique.
 */
export function testLogFile(name: string): string | undefined {
  return folder === undefined ? undefined : path.join(folder, `${name}-${process.pid}-${process.hrtime.bigint()}.log`)
}

/** Appends a line to a log file; does nothing if undefined. */
export function addToTestLog(file: string | undefined, line: string): void {
  if (file !== undefined) fs.appendFileSync(file, `${line}\n`)
}

export type SecretKind = 'password' | 'cookie' | 'token' | 'link'

const minSecretLength = 8
const known = new Set<string>()

/** Records a secret. Secrets under eight characters are omitted, because they could occur in a log by chance. */
export function recordSecret(kind: SecretKind, secret: string): void {
  if (folder === undefined || secret.length < minSecretLength || known.has(secret)) return
  known.add(secret)
  fs.appendFileSync(path.join(folder, `secrets-${process.pid}.jsonl`), `${JSON.stringify([kind, secret])}\n`)
}

const secretFields =
  /^(token|access_token|refresh_token|id_token|reset_token|link_token|client_secret|code_verifier|secret|challenge|code|recovery_codes|password)$/i
const linkTokenPattern = /[?#&](?:token|code|state)=([\w.~%-]{20,})/g
// The field `code` contains issued codes, but also the codes of refusals and answers.
const isWord = (text: string) => /^[a-z]+(_[a-z]+)*$/.test(text)

/** Records all secrets in a body, found by field name and in links. */
export function recordBody(body: unknown, field = ''): void {
  if (folder === undefined) return
  if (typeof body === 'string') {
    for (const [, secret = ''] of body.matchAll(linkTokenPattern)) recordSecret('link', secret)
    if (!secretFields.test(field) || (field === 'code' && isWord(body))) return
    recordSecret(field.toLowerCase() === 'password' ? 'password' : 'token', body)
  } else if (Array.isArray(body)) {
    for (const item of body) recordBody(item, field)
  } else if (typeof body === 'object' && body !== null) {
    for (const [name, value] of Object.entries(body)) recordBody(value, name)
  }
}

/** Records the secrets in a text, which can be JSON, a form, or any text with links. */
export function recordText(text: string): void {
  if (folder === undefined || text === '') return
  if (/^[[{"]/.test(text) && recordJsonSecrets(text)) return
  if (/^[\w.~%+-]+=/.test(text)) recordBody(Object.fromEntries(new URLSearchParams(text)))
  else recordBody(text)
}

function recordJsonSecrets(text: string): boolean {
  try {
    recordBody(JSON.parse(text))
    return true
  } catch {
    return false
  }
}

const sessionCookiePattern = /(?:^|[;\s])(?:__Host-)?(?:rt|browser)=([^;\s]{20,})/g

type Headers = Readonly<Record<string, number | string | readonly string[] | undefined>>

/** Records the product's cookies, bearer tokens, and secrets in redirect addresses. */
export function recordHeaders(headers: Headers): void {
  if (folder === undefined) return
  for (const [name, value] of Object.entries(headers)) {
    for (const text of [value ?? []].flat().map(String)) {
      if (/^(set-)?cookie$/i.test(name)) {
        for (const [, secret = ''] of text.matchAll(sessionCookiePattern)) recordSecret('cookie', secret)
      } else if (/^authorization$/i.test(name)) {
        const token = /^bearer +(\S{20,})$/i.exec(text)?.[1]
        if (token !== undefined) recordSecret('token', token)
      } else if (/^(location|referer)$/i.test(name)) recordBody(text)
    }
  }
}
