import { type RefObject, useEffect, useRef, useState } from 'react'

/** Width of a phone, assumed until measured. */
const assumed = 320

/** Width of an element in CSS pixels, kept current. */
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
