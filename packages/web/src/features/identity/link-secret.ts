import { useEffect, useRef } from 'react'

/**
 * What the address of a mailed link carries, in its query or behind '#'. It is taken out of the address at once, so that
 * it stays in no history, bookmark or screenshot. `take` gets it once, however often effects run.
 */
export function useLinkSecret(take: (carried: URLSearchParams) => void): void {
  const isTaken = useRef(false)
  useEffect(() => {
    if (isTaken.current) return
    isTaken.current = true
    const { search, hash, pathname } = window.location
    const carried = new URLSearchParams(search)
    for (const [name, value] of new URLSearchParams(hash.slice(1))) carried.set(name, value)
    history.replaceState(history.state, '', pathname)
    take(carried)
  }, [take])
}
