/** Script of the landing page. The page is complete without it. */
import { revealLines } from './reveal.ts'
import { readCountry, controlPriceCheck } from './control-price-check.ts'
import type { Atlas } from './turn-globe.ts'
import { controlWaitlist } from './waitlist.ts'

/** Turns the globe to the countries of the price check. */
async function controlHeroGlobe(): Promise<void> {
  const globe = document.querySelector<SVGSVGElement>('#globe')
  const atlas = document.getElementById('land')?.dataset.atlas
  if (!globe || atlas === undefined) return
  const { controlGlobe } = await import('./turn-globe.ts')
  const turnGlobe = controlGlobe(globe, JSON.parse(atlas) as Atlas, [readCountry('sent'), readCountry('received')])
  for (const list of document.querySelectorAll('#price-check select')) {
    list.addEventListener('change', () => turnGlobe(readCountry('sent'), readCountry('received')))
  }
}

controlWaitlist()
revealLines()
// Countries become selectable once the globe can follow them.
void controlHeroGlobe().finally(controlPriceCheck)
