import { useEffect, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'

/** True for an http(s) address. */
export const isWebAddress = (address: string | null | undefined): address is string =>
  Boolean(address) && URL.canParse(address as string) && /^https?:$/.test(new URL(address as string).protocol)

/** The provider returned no http(s) address. */
export class NoWebAddress extends Error {}

/** Sends the browser to the provider's page after `beforeRedirect`. Throws `NoWebAddress` unless it is http(s). */
export function goToProvider(address: string | null, beforeRedirect?: () => void): void {
  if (!isWebAddress(address)) throw new NoWebAddress()
  beforeRedirect?.()
  location.assign(address)
}

/**
 * Calls `onRestore` when the browser restores this page in its earlier state, such as on Back from the provider's page.
 */
export function usePageRestore(onRestore: () => void): void {
  const handlerRef = useRef(onRestore)
  handlerRef.current = onRestore
  useEffect(() => {
    const onShow = (event: PageTransitionEvent) => {
      if (event.persisted) handlerRef.current()
    }
    addEventListener('pageshow', onShow)
    return () => removeEventListener('pageshow', onShow)
  }, [])
}

interface ReturnPart {
  /** Id of the payment or link, from the address. */
  readonly id: string | undefined
  readonly isCanceled: boolean
  /** Proves to the server that the person consented in this browser. */
  readonly secret?: string | undefined
}

/** Flags that a provider's page adds to the return address. They are hints: the server decides. */
export interface ProviderReturn {
  readonly payment: ReturnPart | undefined
  readonly link: ReturnPart | undefined
  readonly withdrawal: { readonly id: string | undefined; readonly hasFailed: boolean } | undefined
}

const addSecret = (found: ReturnPart | undefined, search: URLSearchParams): ReturnPart | undefined => {
  const secret = search.get('link_secret')
  return found && secret ? { ...found, secret } : found
}

/** Reads the provider's flags; undefined without any. */
export function readProviderReturn(search: URLSearchParams): ProviderReturn | undefined {
  const buildReturn = (idName: string, isPresent: boolean, isCanceled = false): ReturnPart | undefined =>
    isPresent ? { id: search.get(idName) ?? undefined, isCanceled } : undefined
  const isPaid = search.get('payment_success') === 'true'
  const isCanceled = search.get('payment_canceled') === 'true' && !isPaid
  const link = search.get('linkStatus')
  const hasFailed = search.has('withdrawal_error')
  const isWithdrawn = search.get('withdrawal_success') === 'true'
  const found = {
    payment: buildReturn('payment_id', isPaid || isCanceled, isCanceled),
    link: addSecret(buildReturn('link_id', link === 'canceled' || link === 'success', link === 'canceled'), search),
    withdrawal: isWithdrawn || hasFailed ? { id: search.get('payout_id') ?? undefined, hasFailed } : undefined,
  }
  return found.payment || found.link || found.withdrawal ? found : undefined
}

/**
 * Flags with which the provider sent the browser back to `path`. They are removed from the address, so that a reload or
 * a bookmark does not repeat them. Undefined in the first render.
 */
export function useProviderReturn(path: string): ProviderReturn | undefined {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const [providerReturn, setProviderReturn] = useState<ProviderReturn>()
  const text = search.toString()
  useEffect(() => {
    const found = readProviderReturn(new URLSearchParams(text))
    if (!found) return
    setProviderReturn(found)
    void navigate(path, { replace: true })
  }, [text, path, navigate])
  return providerReturn
}
