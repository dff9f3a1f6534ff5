import { useQuery } from '@tanstack/react-query'
import { endTracking, shareTracking, trackingLink } from '@tern/contract/transfers/tracking'
import type { Transaction } from '@tern/contract/transactions'
import { useState } from 'react'
import { shareTracking as texts } from '#messages/transfers/tracking.ts'
import { buildQuery } from '../../../app/session/query.ts'
import { useApiMutation } from '../../../app/use-api-mutation.ts'
import { DataShell } from '../../../ui/feedback/DataShell.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { useCopy } from '../../../ui/feedback/use-copy.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { Switch } from '../../../ui/forms/Switch.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'

/**
 * Creates and revokes the public tracking link of a transfer. A failed transfer gets no new link; an existing one is
 * shown.
 */
export function ShareTracking({ transaction: { id, status } }: { transaction: Transaction }) {
  const copy = useCopy()
  const toast = useToast()
  const [showsAmounts, setShowsAmounts] = useState(false)
  const params = { id }
  const trackingQuery = useQuery(buildQuery(['tracking-link', id], trackingLink, { params }))
  const action = useApiMutation({
    failed: texts.failed,
    refetches: [['tracking-link', id]],
  })
  const share = (includesAmounts: boolean) =>
    action.send(shareTracking, { params, body: { shows_amounts: includesAmounts } })
  const end = () =>
    action.send(endTracking, { params }, () => {
      setShowsAmounts(false)
      toast(texts.ended)
    })
  const isFailed = status === 'FAILED'
  if (isFailed && !trackingQuery.data?.link) return null
  if (!trackingQuery.data)
    return <DataShell query={trackingQuery} skeleton={<TextSkeleton lines={3} />} failed={texts.failed} />
  const { link } = trackingQuery.data
  return (
    <section className="grid gap-4" aria-label={texts.title}>
      <div>
        <h3 className="field-label">{texts.title}</h3>
        <p className="small muted">{texts.text}</p>
      </div>
      <Switch
        checked={link?.shows_amounts ?? showsAmounts}
        disabled={action.isBusy}
        onChange={({ target: { checked } }) => (link ? share(checked) : setShowsAmounts(checked))}
      >
        {texts.showAmounts}
      </Switch>
      {link && <TextField label={texts.link} readOnly value={link.url} onFocus={({ target }) => target.select()} />}
      {action.error && <Note tone="error">{action.error}</Note>}
      <div className="row flex-wrap">
        {link ? (
          <>
            <Button look="primary" icon="copy" onClick={() => copy(link.url, texts.copied)}>
              {texts.copy}
            </Button>
            <Button processing={action.isBusy} onClick={end}>
              {texts.end}
            </Button>
          </>
        ) : (
          <Button look="primary" processing={action.isBusy} onClick={() => share(showsAmounts)}>
            {texts.create}
          </Button>
        )}
      </div>
    </section>
  )
}
