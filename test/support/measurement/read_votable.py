"""Reads a VOTable on stdin. Writes as JSON its warnings, the names and types of its columns, and its rows as astropy reads them."""
import io
import json
import sys
import warnings

from astropy.io.votable import parse

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    file = parse(io.BytesIO(sys.stdin.buffer.read()), verify="warn")
    table = file.get_first_table()
    rows = [[str(value) for value in row] for row in table.array]
print(json.dumps({
    "warnings": [str(warning.message) for warning in caught],
    "columns": [[field.name, field.datatype, field.xtype] for field in table.fields],
    "rows": rows,
    "next": [info.value for info in file.resources[0].infos if info.name == "next"],
}))
