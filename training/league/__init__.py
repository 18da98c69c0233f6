"""The league: networks that learn by playing against themselves, earlier versions and others."""
