const firstCheckMs = 300
const aboveEdgePx = 100

/**
 * Animates lines once they are 100 px above the lower edge of the window; shows them at once with reduced motion. Text
 * is never delayed by it.
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
