import { frame } from '#messages/site/frame.ts'
import { AccountButton, WaitlistLink } from './AccountLinks.tsx'

/** The last band of a public page: the main action once more. On water where the band above is paper. */
export function ClosingCall({ isOnWater = false }: { isOnWater?: boolean }) {
  return (
    <section className={isOnWater ? 'water' : undefined}>
      <div className="site-width closing">
        <h2 className={isOnWater ? 'display-l' : 'display-xl'}>{frame.closingCall}</h2>
        <p className="site-ways">
          <AccountButton className="button-big" />
          <WaitlistLink className="button button-secondary button-big" />
        </p>
      </div>
    </section>
  )
}
