import { useEffect, useState } from 'react'
import { Bird } from '../../ui/icon/Brand.tsx'
import type { QrModules } from '../../ui/codes/qr-modules.ts'
import { markModules, markPlace, requestModules } from './request-code.ts'

/** QR code of a payment link with the logo in its center; dark on white in both themes, as cameras expect. */
export function RequestCode({ url, label }: { url: string; label: string }) {
  const [modules, setModules] = useState<QrModules>()
  useEffect(() => {
    let isCurrent = true
    requestModules(url).then((newModules) => isCurrent && setModules(newModules), reportError)
    return () => void (isCurrent = false)
  }, [url])
  const size = modules?.size ?? 1
  const place = markPlace(size)
  return (
    <svg
      className="request-code"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <rect className="request-code-paper" width={size} height={size} />
      {modules && (
        <>
          <path d={modules.path} />
          <rect className="request-code-paper" x={place} y={place} width={markModules} height={markModules} />
          <svg x={place + 1} y={place + 1} width={markModules - 2} height={markModules - 2} viewBox="0 0 32 32">
            <Bird />
          </svg>
        </>
      )}
    </svg>
  )
}
