/** Script of the landing page. The page is complete without it. */
import { revealLines } from './reveal.ts'
import { chosenCountry, takePriceCheck } from './take-price-check.ts'
import type { Atlas } from './turn-globe.ts'
import { takeWaitlist } from './waitlist.ts'

/** Turns the globe to the countries of the price check. */
async function takeHeroGlobe(): Promise<void> {
  const globe = document.querySelector<SVGSVGElement>('#globe')
  const atlas = document.getElementById('land')?.dataset.atlas
  if (!globe || atlas === undefined) return
  const { takeGlobe } = await import('./turn-globe.ts')
  const turn = takeGlobe(globe, JSON.parse(atlas) as Atlas, [chosenCountry('sent'), chosenCountry('received')])
  for (const list of document.querySelectorAll('#price-check select')) {
    list.addEventListener('change', () => turn(chosenCountry('sent'), chosenCountry('received')))
  }
}

takeWaitlist()
revealLines()
// Countries become selectable once the globe can follow them.
void takeHeroGlobe().finally(takePriceCheck)
