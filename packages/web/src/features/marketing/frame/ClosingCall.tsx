import { frame } from '#messages/site/frame.ts'
import { WaitlistForm } from './WaitlistForm.tsx'

/** The last band of a public page: the waitlist once more. On water where the band above is paper. */
export function ClosingCall({ isOnWater = false }: { isOnWater?: boolean }) {
  return (
    <section className={isOnWater ? 'water' : undefined}>
      <div className="site-width closing">
        <h2 className={isOnWater ? 'display-l' : 'display-xl'}>{frame.closingCall}</h2>
        <WaitlistForm id="closing-email" />
      </div>
    </section>
  )
}
