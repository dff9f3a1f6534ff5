// Keys that this browser trusts: of the product's log and its witnesses. The first key of a log is kept, so that the page
// verifies without a network. Another key for the same log counts only after the visitor has accepted it.

import { parseVerifierKey } from '@tern/transparency/note-keys'
import type { Policy } from '@tern/transparency/policy'
import { noteLoaded, noteReplaced } from './key-history.ts'

export interface StoredKeys {
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
    if (!isKeys(keys)) return undefined
    noteLoaded(new Date())
    return keys
  } catch {
    return undefined
  }
}

export interface KnownKeys {
  /** Undefined if this browser has never had any key. */
  readonly policy: Policy | undefined
  /** Keys offered by the server whose log has another key in this browser. */
  readonly changed: StoredKeys | undefined
}

const originOf = ({ log }: StoredKeys): string => parseVerifierKey(log).name

/** Loads the keys, or recalls them without a network. */
export async function loadKeys(): Promise<KnownKeys> {
  const recalled = recallKeys()
  const fetched = await fetchKeys()
  const before = fetched && recalled.find((keys) => originOf(keys) === originOf(fetched))
  if (!fetched || (before && before.log !== fetched.log))
    return { policy: recalled.length === 0 ? undefined : toPolicy(recalled), changed: fetched }
  return { policy: trustKeys(fetched), changed: undefined }
}

/** Keeps these keys instead of those that this browser had for the same log. */
export function trustKeys(keys: StoredKeys): Policy {
  const recalled = recallKeys()
  for (const { log } of recalled.filter((each) => originOf(each) === originOf(keys) && each.log !== keys.log))
    noteReplaced(log, new Date())
  const known = [keys, ...recalled.filter((each) => originOf(each) !== originOf(keys))]
  keepKeys(known)
  return toPolicy(known)
}
