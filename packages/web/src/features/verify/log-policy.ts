// Keys that this browser trusts: of the product's log and its witnesses. They are loaded once and kept, so that the page
// verifies without a network, and a later change of the log's key is noticed.

import { parseVerifierKey } from '@tern/transparency/note-keys'
import type { Policy } from '@tern/transparency/policy'

interface StoredKeys {
  readonly log: string
  readonly witnesses: readonly string[]
}

const storageKey = 'tern-log-keys'

const isKeys = (value: unknown): value is StoredKeys =>
  typeof value === 'object' &&
  value !== null &&
  'log' in value &&
  typeof value.log === 'string' &&
  'witnesses' in value &&
  Array.isArray(value.witnesses)

function recallKeys(): readonly StoredKeys[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isKeys) : []
  } catch {
    return []
  }
}

function keepKeys(keys: readonly StoredKeys[]): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(keys))
  } catch {
    // Without storage, the keys are loaded again at the next visit.
  }
}

function toPolicy(known: readonly StoredKeys[]): Policy {
  const logs = [...new Set(known.map(({ log }) => log))].map((key) => parseVerifierKey(key))
  const witnesses = [...new Set(known.flatMap((keys) => keys.witnesses))].map((key) => parseVerifierKey(key))
  return { logs, witnesses, quorum: 0 }
}

async function fetchKeys(): Promise<StoredKeys | undefined> {
  try {
    const answer = await fetch('/log/policy')
    const keys: unknown = answer.ok ? await answer.json() : undefined
    return isKeys(keys) ? keys : undefined
  } catch {
    return undefined
  }
}

/** Loads the keys, or recalls them without a network; undefined if this browser has never had any. */
export async function loadPolicy(): Promise<Policy | undefined> {
  const recalled = recallKeys()
  const fetched = await fetchKeys()
  const known = [...(fetched ? [fetched] : []), ...recalled.filter(({ log }) => log !== fetched?.log)]
  if (known.length === 0) return undefined
  if (fetched) keepKeys(known)
  return toPolicy(known)
}
