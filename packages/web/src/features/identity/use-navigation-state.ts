import { useSyncExternalStore } from 'react'
import { useLocation } from 'react-router'
import type { HandedOver } from './sign-in/use-complete-sign-in.ts'

const never = () => () => {}

/**
 * What another page of signing in has handed to this one. The entry of the history keeps it when the page is loaded again;
 * while React takes over the built page, which knew nothing of it, there is none.
 */
export function useNavigationState(): HandedOver | null {
  const { state } = useLocation()
  return useSyncExternalStore(
    never,
    () => state as HandedOver | null,
    () => null,
  )
}
