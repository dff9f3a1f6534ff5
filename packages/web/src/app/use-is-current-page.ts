import { useEffect, useRef } from 'react'
import { useLocation, useNavigation } from 'react-router'

/**
 * Returns a function that reports whether the person is still on the page that waits for a reply. It returns false as
 * soon as they leave for another page, even while that one loads: the address changes before the page does.
 */
export function useIsCurrentPage(): () => boolean {
  const { pathname } = useLocation()
  const next = useNavigation().location?.pathname ?? pathname
  const isThere = useRef(false)
  const isGoing = useRef(false)
  useEffect(() => {
    isThere.current = true
    return () => void (isThere.current = false)
  }, [])
  useEffect(() => {
    isGoing.current = next !== pathname
  }, [next, pathname])
  return () => isThere.current && !isGoing.current && window.location.pathname === pathname
}
