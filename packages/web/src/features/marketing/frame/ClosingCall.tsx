import { frame } from '#messages/site/frame.ts'
import { AccountButton, WaitlistLink } from './AccountLinks.tsx'

/**
 * Last section of a public page, repeating the main action. `hasWaterBackground` is set below a section with the paper
 * background.
 */
export function ClosingCall({ hasWaterBackground = false }: { hasWaterBackground?: boolean }) {
  return (
    <section className={hasWaterBackground ? 'water' : undefined}>
      <div className={`site-width columns-7-5 max-md:gap-8 max-md:py-20 ${hasWaterBackground ? 'py-24' : 'py-30'}`}>
        <h2 className={hasWaterBackground ? 'display-l' : 'display-xl'}>{frame.closingCall}</h2>
        <p className="ways justify-end max-md:justify-start">
          <AccountButton className="button-big" />
          <WaitlistLink className="button button-secondary button-big" />
        </p>
      </div>
    </section>
  )
}
