import { useEffect, useRef } from 'react'
import { useLocation, useNavigation } from 'react-router'

/**
 * Returns a function that reports whether the person is still on the page that waits for a reply. It returns false as
 * soon as they leave for another page, even while that one loads: the address changes before the page does.
 */
export function useIsCurrentPage(): () => boolean {
  const { pathname } = useLocation()
  const next = useNavigation().location?.pathname ?? pathname
  const isMounted = useRef(false)
  const isNavigating = useRef(false)
  useEffect(() => {
    isMounted.current = true
    return () => void (isMounted.current = false)
  }, [])
  useEffect(() => {
    isNavigating.current = next !== pathname
  }, [next, pathname])
  return () => isMounted.current && !isNavigating.current && window.location.pathname === pathname
}
