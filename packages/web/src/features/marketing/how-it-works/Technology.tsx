import { howItWorks } from '#messages/site/how-it-works.ts'
import { exampleAmounts } from './TransferSteps.tsx'
import { ThreeColumns } from './ThreeColumns.tsx'

/** Explains stablecoins and their role in a transfer. */
export function Technology() {
  const figures = [exampleAmounts.sent, exampleAmounts.bridge, exampleAmounts.received]
  return (
    <section className="water">
      <div className="site-width band">
        <div className="columns-7-5 max-md:gap-4">
          <h2 className="display-l">{howItWorks.technology}</h2>
          <p className="lead max-w-115">{howItWorks.technologyLead}</p>
        </div>
        <div className="bridge">
          <svg
            className="wide-only w-full fill-none stroke-sea stroke-2"
            viewBox="0 0 1312 120"
            preserveAspectRatio="none"
            height="120"
            aria-hidden="true"
            data-draw=""
          >
            <path pathLength="1" d="M6 112A560 560 0 0 1 656 112" />
            <path pathLength="1" d="M656 112A560 560 0 0 1 1306 112" />
          </svg>
          <ol className="grid grid-cols-[repeat(3,1fr)] max-md:ms-1.5 max-md:grid-cols-1">
            {howItWorks.stages.map((text, index) => (
              <li className="stop-line" key={text}>
                <b className="block font-display text-headline font-normal tracking-[-0.014em]">{figures[index]}</b>
                <p className="muted text-balance">{text}</p>
              </li>
            ))}
          </ol>
        </div>
        <ThreeColumns texts={howItWorks.questions} />
      </div>
    </section>
  )
}
