import { useEffect, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'

/** True when the browser may be sent there: an address of the web, whoever gave it. */
export const isWebAddress = (address: string | null | undefined): address is string =>
  Boolean(address) && URL.canParse(address as string) && /^https?:$/.test(new URL(address as string).protocol)

/** The provider gave no page of the web to go to. */
export class NoWebAddress extends Error {}

/** Sends the browser to a page of the provider, after `beforeLeaving`. Throws when that is no page of the web. */
export function goToProvider(address: string | null, beforeLeaving?: () => void): void {
  if (!isWebAddress(address)) throw new NoWebAddress()
  beforeLeaving?.()
  location.assign(address)
}

/** Calls `onBack` when the browser shows this page again as it was left, as Back from the provider's page may do. */
export function usePageBack(onBack: () => void): void {
  const back = useRef(onBack)
  back.current = onBack
  useEffect(() => {
    const onShow = (event: PageTransitionEvent) => {
      if (event.persisted) back.current()
    }
    addEventListener('pageshow', onShow)
    return () => removeEventListener('pageshow', onShow)
  }, [])
}

interface Return {
  /** What it was about, as the address says. */
  readonly id: string | undefined
  readonly isCanceled: boolean
  /** Shows the server that the person consented in this browser. */
  readonly secret?: string | undefined
}

/** What a provider's page says in the address it sends the browser back to. It decides nothing: the server is asked. */
export interface ProviderReturn {
  readonly payment: Return | undefined
  readonly link: Return | undefined
  readonly withdrawal: Pick<Return, 'id'> | undefined
}

const withSecret = (found: Return | undefined, search: URLSearchParams): Return | undefined => {
  const secret = search.get('link_secret')
  return found && secret ? { ...found, secret } : found
}

/** Reads the provider's flags; undefined when there are none. */
export function readProviderReturn(search: URLSearchParams): ProviderReturn | undefined {
  const read = (idName: string, isThere: boolean, isCanceled = false): Return | undefined =>
    isThere ? { id: search.get(idName) ?? undefined, isCanceled } : undefined
  const isPaid = search.get('payment_success') === 'true'
  const isCanceled = search.get('payment_canceled') === 'true' && !isPaid
  const link = search.get('linkStatus')
  const found = {
    payment: read('payment_id', isPaid || isCanceled, isCanceled),
    link: withSecret(read('link_id', link === 'canceled' || link === 'success', link === 'canceled'), search),
    withdrawal: read('payout_id', search.has('withdrawal_error') || search.get('withdrawal_success') === 'true'),
  }
  return found.payment || found.link || found.withdrawal ? found : undefined
}

/**
 * What the provider sent the browser back to `path` with. The flags are removed from the address, so that a reload or a
 * bookmark does not repeat them. Undefined in the first render.
 */
export function useProviderReturn(path: string): ProviderReturn | undefined {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const [returned, setReturned] = useState<ProviderReturn>()
  const text = search.toString()
  useEffect(() => {
    const found = readProviderReturn(new URLSearchParams(text))
    if (!found) return
    setReturned(found)
    void navigate(path, { replace: true })
  }, [text, path, navigate])
  return returned
}
