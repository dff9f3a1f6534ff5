import { useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import type { Transaction } from '@tern/contract/transactions'
import { transferStatus } from '@tern/contract/transfers'
import { useEffect } from 'react'
import { callApi } from '../../../app/session/session.ts'
import type { SavedTransfer } from '../pending-transfer.ts'
import { StepSkeleton } from '../StepFrame.tsx'
import { dropUndo } from './left-undo.ts'

interface LeftUndoProps {
  id: string
  saved: SavedTransfer | undefined
  onSent: (transaction: Transaction, tookMs: undefined, saved: SavedTransfer | undefined) => void
  /** There is no such transfer of this person. */
  onMissing: () => void
}

const pauseMs = 2000

/** Leads back to a transfer that could still be taken back when its page was left: the server says how it stands. */
export function LeftUndo({ id, saved, onSent, onMissing }: LeftUndoProps) {
  const { data, error } = useQuery({
    queryKey: ['left-undo', id],
    queryFn: ({ signal }) => callApi(transferStatus, { params: { id } }, signal),
    refetchInterval: ({ state }) => (state.data ? false : pauseMs),
    retry: false,
    gcTime: 0,
  })
  const isMissing = error instanceof Refused && error.code === 'not_found'
  useEffect(() => {
    if (data) onSent(data.transaction, undefined, saved)
    else if (isMissing) {
      dropUndo()
      onMissing()
    }
    // Once for the answer.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [data, isMissing])
  return <StepSkeleton />
}
