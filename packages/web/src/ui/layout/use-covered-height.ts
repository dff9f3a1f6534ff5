import { useEffect, useState } from 'react'

/** How much of the window the keyboard covers, in pixels, where the browser leaves the page as high as it was. */
export function useCoveredHeight(): number {
  const [covered, setCovered] = useState(0)
  useEffect(() => {
    const { visualViewport } = window
    if (!visualViewport) return
    const measure = () => setCovered(Math.max(0, innerHeight - visualViewport.height - visualViewport.offsetTop))
    visualViewport.addEventListener('resize', measure)
    visualViewport.addEventListener('scroll', measure)
    return () => {
      visualViewport.removeEventListener('resize', measure)
      visualViewport.removeEventListener('scroll', measure)
    }
  }, [])
  return covered
}
