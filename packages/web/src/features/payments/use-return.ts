import { useEffect, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { paths } from '../../paths.ts'

/** Where the provider's page has sent the browser back from. What the address claims decides nothing: the server is asked. */
export interface Returned {
  readonly paymentId: string | undefined
  readonly isCanceled: boolean
}

/** Takes the provider's flags out of the address, so that neither a reload nor a bookmark says them again. */
export function useReturn(): Returned | undefined {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const [returned, setReturned] = useState<Returned>()
  const isSuccess = search.get('payment_success') === 'true'
  const isCanceled = search.get('payment_canceled') === 'true'
  const paymentId = search.get('payment_id') ?? undefined
  useEffect(() => {
    if (!isSuccess && !isCanceled) return
    setReturned({ paymentId, isCanceled })
    void navigate(paths.deposit, { replace: true })
  }, [isSuccess, isCanceled, paymentId, navigate])
  return returned
}
