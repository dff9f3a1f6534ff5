import type { Paper } from './pdf-paper.ts'

/** Paths of the logo's bird without its beak, 32 by 32, as on the web pages. */
const birdPaths = [
  'M.6 25.4A32 32 0 0 1 31.4 12.6A26 26 0 0 0 17.4 19.6C13.6 23.4 9.4 25.6 3.2 29.2Q4 27 6 24.8Q3.4 25.4 .6 25.4Z',
  'M6 .8A27 27 0 0 1 24 11.9A26 26 0 0 0 16.4 14.6A29 29 0 0 0 6 .8Z',
]
const birdBeak = 'M31.4 12.6A30 30 0 0 0 27.2 12.2L26.9 14A27 27 0 0 1 31.4 12.6Z'

/** Draws the logo's bird, 36 by 36. */
export function drawBird({ document }: Paper, x: number, top: number): void {
  document.save()
  document.translate(x, top).scale(36 / 32)
  for (const path of birdPaths) document.path(path).fill('#00536b')
  document.path(birdBeak).fill('#dd5a35')
  document.restore()
}
