import { type RefObject, useEffect, useRef, useState } from 'react'

/** Width of a phone, assumed until measured. */
const defaultWidth = 320

/** Width of an element in CSS pixels, kept current. */
export function useWidth<Place extends HTMLElement>(): { place: RefObject<Place | null>; width: number } {
  const place = useRef<Place>(null)
  const [width, setWidth] = useState(defaultWidth)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width || defaultWidth))
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return { place, width }
}
