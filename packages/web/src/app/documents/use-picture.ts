import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { IdentityDocument } from '@tern/contract/kyc/documents'
import { Refused } from '@tern/contract/protocol/client'
import { useState } from 'react'
import { upload as texts } from '#messages/identity/upload.ts'
import { notConfirmed, withStepUp } from '../step-up/step-up.ts'
import { fetchPicture, pictureKey } from './document-queries.ts'

/** Picture of an uploaded document, and reopening it, which needs a step-up each time. */
export function usePicture(userId: number, document: IdentityDocument | undefined) {
  const queryClient = useQueryClient()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string>()
  const id = document?.id ?? ''
  const { data: picture } = useQuery<Blob>({ queryKey: pictureKey(userId, id), enabled: false })

  async function show(): Promise<void> {
    setIsBusy(true)
    setError(undefined)
    try {
      const shown = await withStepUp((confirmation) => fetchPicture(userId, id, confirmation))
      if (shown !== notConfirmed) queryClient.setQueryData(pictureKey(userId, id), shown)
    } catch (cause) {
      setError(cause instanceof Refused ? cause.message : texts.showFailed)
    } finally {
      setIsBusy(false)
    }
  }

  return {
    picture,
    canShow: document?.content_type === 'image/jpeg' && picture === undefined,
    isBusy,
    error,
    show: () => void show(),
  }
}
