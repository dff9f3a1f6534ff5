import type { Correction } from '@tern/contract/privacy/privacy'
import { privacy } from '#messages/identity/privacy.ts'
import { formatDate } from '../../../../ui/format/format.ts'
import { Entry } from '../../../../ui/layout/RuledSection.tsx'

function describeState({ state, due_at: dueAt, decided_at: decidedAt }: Correction): string {
  if (state === 'open') return privacy.correction.open(formatDate(dueAt))
  return privacy.correction[state](formatDate(decidedAt ?? dueAt))
}

/** Correction requests with their outcome; empty if there are none. */
export function Corrections({ corrections }: { corrections: readonly Correction[] }) {
  if (corrections.length === 0) return null
  return (
    <div className="mt-8 grid gap-4">
      <h3 className="font-medium">{privacy.corrections}</h3>
      {corrections.map((correction) => (
        <Entry
          key={correction.id}
          title={privacy.correctionOf(privacy.fields[correction.field], correction.right_value)}
          text={[describeState(correction), correction.answer].filter(Boolean).join('. ')}
        />
      ))}
    </div>
  )
}
