const firstCheckMs = 300
const aboveEdgePx = 100

/**
 * Animates lines further down the page once they are 100 px above the lower edge of the window. Lines already in view,
 * and all lines with reduced motion, are shown at once.
 */
export function revealLines(): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const isInView = (line: Element) => line.getBoundingClientRect().top < innerHeight - aboveEdgePx
  const lines = [...document.querySelectorAll<HTMLElement>('[data-draw]')].filter((line) => !isInView(line))
  for (const line of lines) line.dataset.draw = 'waiting'
  const check = () => {
    for (const line of lines.filter(isInView)) line.dataset.draw = 'drawn'
  }
  setTimeout(() => {
    check()
    addEventListener('scroll', check, { passive: true })
  }, firstCheckMs)
}
