import { type RefObject, useEffect, useRef, useState } from 'react'

/** Until it has been measured: a phone's. */
const assumed = 320

/** The width of an element in CSS pixels, as it changes. */
export function useWidth<Place extends HTMLElement>(): { place: RefObject<Place | null>; width: number } {
  const place = useRef<Place>(null)
  const [width, setWidth] = useState(assumed)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width || assumed))
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return { place, width }
}
