import { useEffect, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'

/** A page of the provider that the browser comes back from, by what the address says of it. */
interface Return {
  /** What it was about; undefined when the address does not say. */
  readonly id: string | undefined
  readonly isCanceled: boolean
}

/** Where the provider's page has sent the browser back from. What the address claims decides nothing: the server is asked. */
export interface Returned {
  readonly payment: Return | undefined
  readonly link: Return | undefined
  /** Whether the address speaks of success or of an error makes no difference. */
  readonly withdrawal: Pick<Return, 'id'> | undefined
}

/** Reads the provider's flags; undefined when there are none. */
export function readReturn(search: URLSearchParams): Returned | undefined {
  const idOf = (name: string) => search.get(name) ?? undefined
  const read = (idName: string, isCanceled: boolean, isThere: boolean): Return | undefined =>
    isThere ? { id: idOf(idName), isCanceled } : undefined
  const isCanceled = search.get('payment_canceled') === 'true'
  const link = search.get('linkStatus')
  const isWithdrawn = search.has('withdrawal_error') || search.get('withdrawal_success') === 'true'
  const found = {
    payment: read('payment_id', isCanceled, isCanceled || search.get('payment_success') === 'true'),
    link: read('link_id', link === 'canceled', link === 'canceled' || link === 'success'),
    withdrawal: isWithdrawn ? { id: idOf('payout_id') } : undefined,
  }
  return found.payment || found.link || found.withdrawal ? found : undefined
}

/**
 * Takes the provider's flags out of the address of the page at `path`, so that neither a reload nor a bookmark says them
 * again. Undefined in the first render.
 */
export function useReturn(path: string): Returned | undefined {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const [returned, setReturned] = useState<Returned>()
  const text = search.toString()
  useEffect(() => {
    const found = readReturn(new URLSearchParams(text))
    if (!found) return
    setReturned(found)
    void navigate(path, { replace: true })
  }, [text, path, navigate])
  return returned
}
