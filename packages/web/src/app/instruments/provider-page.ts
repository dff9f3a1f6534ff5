import { useEffect, useRef } from 'react'

/** True when the browser may be sent there: an address of the web, whoever gave it. */
export const isWebAddress = (address: string | null | undefined): address is string =>
  Boolean(address) && URL.canParse(address as string) && /^https?:$/.test(new URL(address as string).protocol)

/** Sends the browser to a page of the provider. Throws when that is no page of the web. */
export function goToProvider(address: string | null): void {
  if (!isWebAddress(address)) throw new Error('the provider gave no web address')
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
