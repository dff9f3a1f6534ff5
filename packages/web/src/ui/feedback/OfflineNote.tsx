import { useSyncExternalStore } from 'react'
import { shell } from '#messages/shell.ts'
import { formatRelative } from '../format/format.ts'
import { Note } from './Note.tsx'

function subscribe(changed: () => void): () => void {
  addEventListener('online', changed)
  addEventListener('offline', changed)
  return () => {
    removeEventListener('online', changed)
    removeEventListener('offline', changed)
  }
}

const useIsOffline = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => !navigator.onLine,
    () => false,
  )

/** Shows while the device is offline, with the moment its amounts are from. */
export function OfflineNote({ since }: { since: string | undefined }) {
  if (!useIsOffline()) return null
  return <Note live>{since ? shell.offlineSince(formatRelative(since)) : shell.offline}</Note>
}
