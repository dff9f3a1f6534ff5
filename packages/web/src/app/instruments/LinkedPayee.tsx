import { useQuery } from '@tanstack/react-query'
import { payee as texts } from '#messages/payee.ts'
import { payeeQuery } from './payee.ts'
import { PayeeNote } from './PayeeNote.tsx'

/** Bank's answer about the name on an account that was linked just now. */
export function LinkedPayee({ userId, accountId }: { userId: number; accountId: string }) {
  const { data } = useQuery(payeeQuery(userId, accountId))
  if (!data) return null
  if (data.result === 'match') return <p className="small muted mt-2">{texts.match}</p>
  return (
    <div className="mt-2">
      <PayeeNote payee={data} />
    </div>
  )
}
