import { useEffect, useRef } from 'react'
import { useLocation, useNavigation } from 'react-router'

/**
 * Tells whether somebody is still on the page that waits for an answer. They are not from the moment they have gone to
 * another one, though that is being loaded: the address changes before the page does.
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
