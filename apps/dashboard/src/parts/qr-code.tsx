import type { ReactNode } from 'react';
import { encode } from 'uqr';

/** A QR code as one path. Its text is beside it for users who cannot scan. */
export function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const { data, size } = encode(text, { border: 0 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
