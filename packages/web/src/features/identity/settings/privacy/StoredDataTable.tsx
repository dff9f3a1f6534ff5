import type { HeldData } from '@tern/contract/privacy/privacy'
import { lazy, Suspense, useState } from 'react'
import { privacy } from '#messages/identity/privacy.ts'
import { paths } from '../../../../app/paths.ts'
import { Button, LinkButton } from '../../../../ui/forms/Button.tsx'
import { formatDate } from '../../../../ui/format/format.ts'

const loadDialog = () => import('./CorrectionDialog.tsx')
const CorrectionDialog = lazy(async () => ({ default: (await loadDialog()).CorrectionDialog }))

/** Stored data with source, purpose and retention; a list on narrow screens. */
export function StoredDataTable({ held, userId }: { held: readonly HeldData[]; userId: number }) {
  const [isCorrecting, setIsCorrecting] = useState(false)
  return (
    <>
      <table className="held mt-6">
        <thead>
          <tr>
            <th scope="col">{privacy.what}</th>
            <th scope="col">{privacy.from}</th>
            <th scope="col">{privacy.why}</th>
            <th scope="col">{privacy.kept}</th>
            <th scope="col">
              <span className="sr-only">{privacy.action}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {held.map((one) => (
            <HeldRow key={one.category} held={one} onCorrect={() => setIsCorrecting(true)} />
          ))}
        </tbody>
      </table>
      {isCorrecting && (
        <Suspense>
          <CorrectionDialog userId={userId} onClose={() => setIsCorrecting(false)} />
        </Suspense>
      )}
    </>
  )
}

function HeldRow({ held, onCorrect }: { held: HeldData; onCorrect: () => void }) {
  const { category, origin, basis, retention, entries, since } = held
  const counted =
    entries === 0 ? privacy.nothing : privacy.entries(entries, since === null ? undefined : formatDate(since))
  return (
    <tr>
      <th scope="row">{privacy.categories[category]}</th>
      <td className="muted">
        {privacy.origins[origin]}, {counted}
      </td>
      <td className="muted" data-label={privacy.whyLabel}>
        {privacy.bases[basis]}
      </td>
      <td className="muted" data-label={privacy.keptLabel}>
        {privacy.retentions[retention]}
      </td>
      <td>
        <DataAction held={held} onCorrect={onCorrect} />
      </td>
    </tr>
  )
}

/** Pages that show the stored data. */
const views: Partial<Record<HeldData['category'], string>> = {
  money: paths.transactions,
  instruments: paths.deposit,
  plans: paths.scheduled,
}

function DataAction({ held: { category, correct, entries }, onCorrect }: { held: HeldData; onCorrect: () => void }) {
  const what = privacy.categories[category]
  if (correct === 'profile') {
    return (
      <LinkButton look="ghost" to={paths.profile} aria-label={privacy.correctOf(what)}>
        {privacy.correct}
      </LinkButton>
    )
  }
  if (correct === 'request') {
    return entries === 0 ? null : (
      <Button look="ghost" aria-label={privacy.correctOf(what)} onClick={onCorrect}>
        {privacy.correct}
      </Button>
    )
  }
  const view = views[category]
  return view === undefined ? null : (
    <LinkButton look="ghost" to={view} aria-label={privacy.viewOf(what)}>
      {privacy.view}
    </LinkButton>
  )
}
