import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { IdentityDocument } from '@tern/contract/kyc/documents'
import { upload as texts } from '#messages/identity/upload.ts'
import { notConfirmed, withStepUp } from '../step-up/step-up.ts'
import { useAction } from '../use-action.ts'
import { fetchPicture, pictureKey } from './document-queries.ts'

/** Loads the picture of an uploaded document; opening a stored one again needs a step-up each time. */
export function usePicture(userId: number, document: IdentityDocument | undefined) {
  const queryClient = useQueryClient()
  const { run, isBusy, error } = useAction({ failed: texts.showFailed })
  const id = document?.id ?? ''
  const { data: picture } = useQuery<Blob>({ queryKey: pictureKey(userId, id), enabled: false })

  const show = () =>
    run(async () => {
      const picture = await withStepUp((confirmation) => fetchPicture(userId, id, confirmation))
      if (picture !== notConfirmed) queryClient.setQueryData(pictureKey(userId, id), picture)
    })

  return {
    picture,
    canShow: document?.content_type === 'image/jpeg' && picture === undefined,
    isBusy,
    error,
    show,
  }
}
