import type { words as english } from '../en/lists.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'filter.clear': 'Quitar filtros',
  'filter.clearOne': 'Quitar el filtro {name}',
  'filter.named': '{name}:',
  'filter.none': 'Nada coincide',
  'filter.noneAbout':
    '{count, plural, one {Hay un filtro puesto.} other {Hay # filtros puestos.}} Lo que queda fuera no se muestra.',
  'filter.title': 'Filtros',
  'pager.newer': 'Más recientes',
  'pager.older': 'Anteriores',
  'pager.title': 'Páginas de la lista',
  'pager.zone': 'horas de {zone}',
  'status.arrived': 'Vencida, llegó dinero',
  'status.completed': 'Completada',
  'status.expired': 'Vencida',
  'status.late': 'Completada tarde',
  'status.processing': 'En proceso',
  'status.waiting': 'En espera',
};
