import type { HeldData } from '@tern/contract/privacy/privacy'
import { lazy, Suspense, useState } from 'react'
import { privacy } from '#messages/identity/privacy.ts'
import { paths } from '../../../../app/paths.ts'
import { Button, LinkButton } from '../../../../ui/forms/Button.tsx'
import { formatDate } from '../../../../ui/format/format.ts'

const loadDialog = () => import('./CorrectionDialog.tsx')
const CorrectionDialog = lazy(async () => ({ default: (await loadDialog()).CorrectionDialog }))

/** Stored data with source, purpose and retention; a list on narrow screens. */
export function StoredDataTable({ storedData, userId }: { storedData: readonly HeldData[]; userId: number }) {
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
          {storedData.map((item) => (
            <StoredDataRow key={item.category} storedData={item} onCorrect={() => setIsCorrecting(true)} />
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

function StoredDataRow({ storedData, onCorrect }: { storedData: HeldData; onCorrect: () => void }) {
  const { category, origin, basis, retention, entries, since } = storedData
  const countText =
    entries === 0 ? privacy.nothing : privacy.entries(entries, since === null ? undefined : formatDate(since))
  return (
    <tr>
      <th scope="row">{privacy.categories[category]}</th>
      <td className="muted">
        {privacy.origins[origin]}, {countText}
      </td>
      <td className="muted" data-label={privacy.whyLabel}>
        {privacy.bases[basis]}
      </td>
      <td className="muted" data-label={privacy.keptLabel}>
        {privacy.retentions[retention]}
      </td>
      <td>
        <DataAction storedData={storedData} onCorrect={onCorrect} />
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

function DataAction({
  storedData: { category, correct, entries },
  onCorrect,
}: {
  storedData: HeldData
  onCorrect: () => void
}) {
  const categoryName = privacy.categories[category]
  if (correct === 'profile') {
    return (
      <LinkButton look="ghost" to={paths.profile} aria-label={privacy.correctOf(categoryName)}>
        {privacy.correct}
      </LinkButton>
    )
  }
  if (correct === 'request') {
    return entries === 0 ? null : (
      <Button look="ghost" aria-label={privacy.correctOf(categoryName)} onClick={onCorrect}>
        {privacy.correct}
      </Button>
    )
  }
  const view = views[category]
  return view === undefined ? null : (
    <LinkButton look="ghost" to={view} aria-label={privacy.viewOf(categoryName)}>
      {privacy.view}
    </LinkButton>
  )
}
