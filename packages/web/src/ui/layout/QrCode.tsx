import { useEffect, useState } from 'react'

interface Modules {
  readonly size: number
  readonly path: string
}

/** A picture of text for a camera. Black on white in both themes: cameras expect it. `label` says what it is for. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [modules, setModules] = useState<Modules>()
  useEffect(() => {
    let isWanted = true
    const draw = async () => {
      const { encode } = await import('uqr')
      const { data, size } = encode(text, { ecc: 'M', border: 3 })
      const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
      if (isWanted) setModules({ size, path: squares.join('') })
    }
    draw().catch(reportError)
    return () => void (isWanted = false)
  }, [text])
  const size = modules?.size ?? 1
  return (
    <svg
      width="208"
      height="208"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <rect width={size} height={size} fill="#fff" />
      {modules && <path d={modules.path} fill="#000" />}
    </svg>
  )
}
