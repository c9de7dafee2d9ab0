import type { Block } from './mail-content.ts';

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${block.text}\n${'='.repeat(Math.min(block.text.length, 60))}`;
    case 'button':
      return `${block.label}:\n${block.link}`;
    case 'rows':
      return block.rows.map(([label, value]) => `${label}: ${value}`).join('\n');
    case 'paragraph':
    case 'small':
      return block.text;
  }
}

export function renderText(blocks: readonly Block[]): string {
  return `${blocks.map(renderBlock).join('\n\n')}\n`;
}
