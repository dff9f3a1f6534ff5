// When this browser last loaded keys of logs, and the keys that its visitor has replaced since.

export interface ReplacedKey {
  readonly log: string
  /** Time of the replacement, ISO 8601. */
  readonly until: string
}

export interface KeyHistory {
  /** Time at which the server last named its keys, ISO 8601. */
  readonly loadedAt?: string | undefined
  readonly replaced: readonly ReplacedKey[]
}

const storageKey = 'tern-log-key-history'

const isText = (value: unknown): value is string => typeof value === 'string'

const isReplacedKey = (value: unknown): value is ReplacedKey =>
  typeof value === 'object' &&
  value !== null &&
  'log' in value &&
  isText(value.log) &&
  'until' in value &&
  isText(value.until)

export function recallHistory(): KeyHistory {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return { replaced: [] }
    const replaced = 'replaced' in stored && Array.isArray(stored.replaced) ? stored.replaced.filter(isReplacedKey) : []
    return { replaced, loadedAt: 'loadedAt' in stored && isText(stored.loadedAt) ? stored.loadedAt : undefined }
  } catch {
    return { replaced: [] }
  }
}

function keepHistory(history: KeyHistory): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(history))
  } catch {
    // Without storage, proofs of replaced keys count as signed by an unknown one.
  }
}

export const noteLoaded = (at: Date): void => keepHistory({ ...recallHistory(), loadedAt: at.toISOString() })

export function noteReplaced(log: string, at: Date): void {
  const { replaced, ...history } = recallHistory()
  const others = replaced.filter((key) => key.log !== log)
  keepHistory({ ...history, replaced: [{ log, until: at.toISOString() }, ...others] })
}
