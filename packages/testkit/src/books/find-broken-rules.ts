// Applies audit rules to corrupted books.

import pg from 'pg'
import { storeAuditKeys } from '@tern/server/commands/audit/audit'
import { applyRules } from '@tern/server/commands/audit/apply-rules'
import type { AuditRule } from '@tern/server/platform/operations/audit-rule'
import type { KeyRing } from '@tern/server/platform/seal'

/**
 * Runs `corruptionSql` and these rules, then rolls back; returns the message of each broken rule by rule name. With
 * `secrets`, the rules can check the signatures of row seals too.
 */
export async function findBrokenRules(
  url: string,
  applied: readonly AuditRule[],
  corruptionSql: string,
  secrets?: KeyRing,
): Promise<Record<string, string>> {
  const client = await findConnection(url)
  try {
    await client.query(`begin; ${corruptionSql}`)
    if (secrets) await storeAuditKeys(client, secrets)
    const checks = await applyRules(client, applied)
    return Object.fromEntries(checks.filter(({ ok }) => !ok).map(({ name, detail }) => [name, detail]))
  } finally {
    await client.query('rollback')
    await client.query('reset all')
  }
}

const connections = new Map<string, pg.Client>()

/**
 * Returns the open connection to a database, which has the rules' statements planned, or opens one. The connection ends
 * when the database is dropped.
 */
async function findConnection(url: string): Promise<pg.Client> {
  const known = connections.get(url)
  if (known) return known
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  client.on('end', () => connections.delete(url))
  await client.connect()
  connections.set(url, client)
  return client
}

/** Closes the connection to a database, which could not be copied otherwise. */
export async function disconnectFrom(url: string): Promise<void> {
  await connections.get(url)?.end()
}
