import { useEffect, useState } from 'react'

/** Pixels of the window that the keyboard covers, where the browser does not resize the page. */
export function useCoveredHeight(): number {
  const [height, setHeight] = useState(0)
  useEffect(() => {
    const { visualViewport } = window
    if (!visualViewport) return
    const measure = () => setHeight(Math.max(0, innerHeight - visualViewport.height - visualViewport.offsetTop))
    visualViewport.addEventListener('resize', measure)
    visualViewport.addEventListener('scroll', measure)
    return () => {
      visualViewport.removeEventListener('resize', measure)
      visualViewport.removeEventListener('scroll', measure)
    }
  }, [])
  return height
}
